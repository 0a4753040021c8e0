#include "plan/describe_parts.hpp"

#include <algorithm>
#include <numeric>

namespace tributary::plan {
namespace {

// About a second of work.
constexpr double kEffortMax = 5e8;
constexpr std::int64_t kListedInACycleMax = 1 << 20;

std::int64_t requests_per_cycle(const CollectivePlan& plan, const Domain& domain) {
  if (domain.empty()) return 0;
  return std::clamp<std::int64_t>(plan.sub_buffer_bytes / domain.block, 1, domain.blocks);
}

// How much work it is to go through the requests of all aggregators, in that many cycles. As
// double: a job file may ask for more cycles than fit into 64 bits of requests.
double effort(const CollectivePlan& plan, const Layout& layout, std::int64_t cycles) {
  const bool grouped = plan.order == RequestOrder::heterogeneity;
  const double work_per_request = 20.0 + (grouped ? layout.servers() : 2);
  double requests = 0;
  for (std::size_t i = 0; i < plan.domains.size(); ++i) {
    const std::int64_t own = plan.cycles_of(static_cast<int>(i), layout).count();
    requests += static_cast<double>(requests_per_cycle(plan, plan.domains[i])) *
                static_cast<double>(std::min(own, cycles));
  }
  return requests * work_per_request;
}

// Costs cycle by cycle, as plan::cycle_costs does for all of them at once; that one keeps a row
// of servers for every cycle, which a large job has too many of.
class CostWalk {
 public:
  CostWalk(const CollectivePlan& plan, const Layout& layout) : layout_(layout) {
    aggregators_.reserve(plan.aggregators.size());
    for (int i = 0; i < static_cast<int>(plan.aggregators.size()); ++i)
      aggregators_.push_back(plan.cycles_of(i, layout));
  }

  CycleCost at(std::int64_t cycle) const {
    CycleCost result;
    result.by_server.resize(static_cast<std::size_t>(layout_.servers()));
    for (const Cycles& cycles : aggregators_) {
      if (cycle >= cycles.count()) continue;
      for (const Extent& request : cycles.requests(cycle)) {
        const int server = layout_.server_of(request.offset);
        result.by_server[static_cast<std::size_t>(server)] += layout_.cost_of(server);
      }
    }
    result.cost = std::ranges::max(result.by_server);
    return result;
  }

 private:
  const Layout& layout_;
  std::vector<Cycles> aggregators_;
};

}  // namespace

Excerpt::Excerpt(std::size_t count, std::size_t limit) {
  const bool all = count <= limit;
  head = all ? count : (limit + 1) / 2;
  const std::size_t tail = all ? 0 : limit - head;
  left_out = count - head - tail;
  shown.resize(head + tail);
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  for (std::size_t i = head; i < shown.size(); ++i) shown[i] += left_out;
}

CostSummary summarise_costs(const CollectivePlan& plan, const Layout& layout,
                            std::int64_t first_cycles) {
  CostSummary summary;
  const std::int64_t wanted = std::min(first_cycles, plan.cycles);
  const bool whole = effort(plan, layout, plan.cycles) <= kEffortMax;
  if (!whole && effort(plan, layout, wanted) > kEffortMax) return summary;
  const CostWalk walk(plan, layout);
  if (whole) summary.sum = 0;
  for (std::int64_t cycle = 0; cycle < (whole ? plan.cycles : wanted); ++cycle) {
    CycleCost cost = walk.at(cycle);
    if (whole) *summary.sum += cost.cost;
    summary.cost_max = std::max(summary.cost_max, cost.cost);
    if (cycle < wanted) summary.first.push_back(std::move(cost));
  }
  return summary;
}

bool can_list_requests(const CollectivePlan& plan) {
  return std::ranges::all_of(plan.domains, [&](const Domain& domain) {
    return requests_per_cycle(plan, domain) <= kListedInACycleMax;
  });
}

// The program of fewer cycles starts with the same steps, as long as the two numbers of cycles
// agree modulo the sub-buffers: a read's program is made backwards from its last cycle.
Program first_steps(const CollectivePlan& plan, std::size_t steps) {
  const std::int64_t buffers = plan.sub_buffers;
  const std::int64_t enough = static_cast<std::int64_t>(steps) + 4 * buffers;
  std::int64_t cycles = plan.cycles;
  if (cycles > enough) cycles = enough + (cycles - enough) % buffers;
  Program program = make_program(plan.schedule, plan.direction, cycles, plan.sub_buffers);
  program.resize(std::min(program.size(), steps));
  return program;
}

// Each cycle is exchanged and moved, and each of these is started and awaited.
std::size_t step_count(const CollectivePlan& plan) {
  return 4 * static_cast<std::size_t>(plan.cycles);
}

std::string_view class_name(const Layout& layout, int server) {
  if (layout.classes.empty()) return "server";
  return layout.classes[static_cast<std::size_t>(layout.class_of(server))].name;
}

}  // namespace tributary::plan
