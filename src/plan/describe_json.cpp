// The plan as JSON. Fields that a plan has not decided (an independent one has no schedule) are
// null, never left out: docs/explain.md lists them all.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/describe.hpp"
#include "plan/describe_parts.hpp"

namespace tributary::plan {
namespace {

using nlohmann::json;

json extent_json(const Extent& extent) {
  return {{"offset", extent.offset}, {"length", extent.length}};
}

json domain_json(const Domain& domain) {
  json result = extent_json(domain.range);
  result["block"] = domain.block;
  result["stride"] = domain.stride;
  result["blocks"] = domain.blocks;
  result["bytes"] = domain.bytes();
  return result;
}

json aggregators_json(const CollectivePlan& plan, const Layout& layout, const Topology& topology) {
  json result = json::array();
  for (std::size_t i = 0; i < plan.aggregators.size(); ++i) {
    const Domain& domain = plan.domains[i];
    result.push_back({{"rank", plan.aggregators[i]},
                      {"node", topology.node_of(plan.aggregators[i])},
                      {"domain", domain_json(domain)},
                      {"lock", extent_json(domain.range)},
                      {"cycles", plan.cycles_of(static_cast<int>(i), layout).count()}});
  }
  return result;
}

json reasons_json(const CollectivePlan& plan) {
  json result = json::array();
  for (const Reason& reason : plan.reasons)
    result.push_back(
        {{"question", reason.question}, {"chosen", reason.chosen}, {"why", reason.why}});
  return result;
}

json request_json(const Extent& request, const Layout& layout) {
  json result = extent_json(request);
  const int server = layout.server_of(request.offset);
  result["server"] = layout.striped() ? json(server) : json();
  result["class"] = layout.striped() ? json(class_name(layout, server)) : json();
  return result;
}

json cycle_json(const std::vector<Extent>& requests, const Layout& layout, std::size_t limit) {
  json first = json::array();
  for (std::size_t i = 0; i < std::min(requests.size(), limit); ++i)
    first.push_back(request_json(requests[i], layout));
  return {{"count", requests.size()}, {"first", std::move(first)}};
}

// Of the aggregators that the text would show, in their first cycles.
json requests_json(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  json result = json::array();
  if (!can_list_requests(plan)) return result;
  for (const std::size_t i : Excerpt(plan.aggregators.size(), detail.aggregators).shown) {
    const Cycles cycles = plan.cycles_of(static_cast<int>(i), layout);
    for (std::int64_t c = 0; c < std::min(cycles.count(), detail.cycles); ++c) {
      json one = cycle_json(cycles.requests(c), layout, detail.requests_json);
      one["aggregator"] = i;
      one["cycle"] = c;
      result.push_back(std::move(one));
    }
  }
  return result;
}

json cost_json(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  if (!plan.shuffles() || !layout.striped()) return {};
  const CostSummary summary = summarise_costs(plan, layout, detail.cycles);
  json first = json::array();
  for (const CycleCost& cycle : summary.first)
    first.push_back({{"by_server", cycle.by_server}, {"cost", cycle.cost}});
  return {{"cycles", plan.cycles},
          {"first", std::move(first)},
          {"sum", summary.sum ? json(*summary.sum) : json()},
          {"max", summary.sum ? json(summary.cost_max) : json()}};
}

json program_json(const CollectivePlan& plan, const Detail& detail) {
  if (!plan.shuffles()) return {};
  json first = json::array();
  for (const Step& step : first_steps(plan, 4 * static_cast<std::size_t>(detail.cycles)))
    first.push_back({{"operation", name_of(step.operation)},
                     {"cycle", step.cycle},
                     {"sub_buffer", step.sub_buffer}});
  return {{"steps", step_count(plan)}, {"first", std::move(first)}};
}

json layout_json(const Layout& layout) {
  json classes = json::array();
  for (const ServerClass& one : layout.classes)
    classes.push_back({{"name", one.name}, {"cost", one.cost}});
  return {{"stripe_bytes", layout.stripe_bytes},
          {"servers", layout.servers()},
          {"classes", std::move(classes)},
          {"class_of_server", layout.class_of_server}};
}

}  // namespace

json to_json(const CollectivePlan& plan, const Layout& layout, const Topology& topology,
             const Detail& detail) {
  const auto decided = [&](auto value) { return plan.shuffles() ? json(value) : json(); };
  return {{"schema", "tributary-plan-1"},
          {"direction", plan.direction == Direction::write ? "write" : "read"},
          {"strategy", name_of(plan.strategy)},
          {"partitioning", decided(name_of(plan.partitioning))},
          {"schedule", decided(name_of(plan.schedule))},
          {"order", decided(name_of(plan.order))},
          {"shuffle", decided(name_of(plan.shuffle))},
          {"two_level", decided(plan.two_level())},
          {"combined_bytes_max", decided(plan.combined_bytes_max)},
          {"sub_buffers", decided(plan.sub_buffers)},
          {"sub_buffer_bytes", decided(plan.sub_buffer_bytes)},
          {"cycles", decided(plan.cycles)},
          {"accessed", extent_json(plan.accessed)},
          {"layout", layout_json(layout)},
          {"reasons", reasons_json(plan)},
          {"aggregators", aggregators_json(plan, layout, topology)},
          {"requests", requests_json(plan, layout, detail)},
          {"cost", cost_json(plan, layout, detail)},
          {"program", program_json(plan, detail)}};
}

json orders_to_json(std::span<const CollectivePlan> plans, const Layout& layout,
                    const Detail& detail) {
  json result = json::object();
  for (const CollectivePlan& plan : plans)
    result[std::string(name_of(plan.order))] = {{"requests", requests_json(plan, layout, detail)},
                                                {"cost", cost_json(plan, layout, detail)}};
  return result;
}

}  // namespace tributary::plan
