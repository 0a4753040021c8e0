#include "hints/for_plan.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace tributary::hints {
namespace {

plan::Choice choice_of(Switch value) {
  switch (value) {
    case Switch::enable:
      return plan::Choice::enable;
    case Switch::disable:
      return plan::Choice::disable;
    case Switch::automatic:
      break;
  }
  return plan::Choice::automatic;
}

// A row whose choices are `automatic` and then those of the plan's enum, in its order.
template <typename PlanEnum, typename HintEnum>
std::optional<PlanEnum> forced(const Values& values, Id id) {
  const auto index = static_cast<int>(values.choice<HintEnum>(id));
  if (index == 0) return std::nullopt;
  return static_cast<PlanEnum>(index - 1);
}

// The strategy by its own hint, or by the names that other libraries use.
std::optional<plan::CollectiveStrategy> collective_strategy(const Values& values,
                                                            Direction direction) {
  if (const auto asked =
          forced<plan::CollectiveStrategy, Collective>(values, Id::tributary_collective))
    return asked;
  if (direction == Direction::write &&
      values.choice<Switch>(Id::tributary_local_aggregation) == Switch::enable)
    return plan::CollectiveStrategy::local;
  switch (values.choice<Switch>(direction == Direction::read ? Id::romio_cb_read
                                                             : Id::romio_cb_write)) {
    case Switch::enable:
      return plan::CollectiveStrategy::two_phase;
    case Switch::disable:
      return plan::CollectiveStrategy::independent;
    case Switch::automatic:
      break;
  }
  return std::nullopt;
}

// "5,1,5,1": the class of a server is its cost.
void add_classes(plan::Layout& layout, std::string_view costs) {
  while (!costs.empty()) {
    const std::size_t comma = std::min(costs.find(','), costs.size());
    double cost = 1;
    std::from_chars(costs.data(), costs.data() + comma, cost);
    const std::string name(costs.substr(0, comma));
    costs.remove_prefix(std::min(comma + 1, costs.size()));
    const auto known = std::ranges::find(layout.classes, cost, &plan::ServerClass::cost);
    layout.class_of_server.push_back(static_cast<int>(known - layout.classes.begin()));
    if (known == layout.classes.end()) layout.classes.push_back({"cost " + name, cost});
  }
}

}  // namespace

plan::IndependentHints independent_hints(const Values& values) {
  plan::IndependentHints chosen;
  const auto asked = forced<plan::Strategy, Strategy>(values, Id::tributary_strategy);
  chosen.automatic = !asked.has_value();
  chosen.forced = asked.value_or(plan::Strategy::direct);
  chosen.map_files = choice_of(values.choice<Switch>(Id::tributary_map_files));
  chosen.sieve_reads = choice_of(values.choice<Switch>(Id::romio_ds_read));
  chosen.sieve_writes = choice_of(values.choice<Switch>(Id::romio_ds_write));
  chosen.read_buffer_bytes = values.integer(Id::ind_rd_buffer_size);
  chosen.write_buffer_bytes = values.integer(Id::ind_wr_buffer_size);
  chosen.sieve_gap = values.integer(Id::tributary_sieve_gap);
  return chosen;
}

plan::CollectiveHints collective_hints(const Values& values, Direction direction) {
  plan::CollectiveHints chosen;
  chosen.strategy = collective_strategy(values, direction);
  chosen.partitioning =
      forced<plan::Partitioning, Partitioning>(values, Id::tributary_partitioning);
  chosen.schedule = forced<plan::Schedule, Schedule>(values, Id::tributary_schedule);
  chosen.order = forced<plan::RequestOrder, Order>(values, Id::tributary_order);
  chosen.shuffle = forced<plan::Shuffle, Shuffle>(values, Id::tributary_shuffle);
  chosen.two_level = choice_of(values.choice<Switch>(Id::tributary_two_level));
  chosen.sub_buffers = static_cast<int>(values.integer(Id::tributary_sub_buffers));
  chosen.buffer_bytes = values.integer(Id::cb_buffer_size);
  chosen.buffer_asked_for = values.origin(Id::cb_buffer_size) != Origin::default_value;
  chosen.domain_bytes_min = values.integer(Id::romio_min_fdomain_size);
  plan::AggregatorHints& aggregators = chosen.aggregators;
  aggregators.count = static_cast<int>(values.integer(Id::cb_nodes));
  // The default "*:1" is what others do without being asked; only a user's list is a limit.
  if (values.origin(Id::cb_config_list) != Origin::default_value)
    aggregators.config_list = values.text(Id::cb_config_list);
  aggregators.per_node = static_cast<int>(values.integer(Id::nc_num_aggrs_per_node));
  aggregators.per_server = static_cast<int>(values.integer(Id::romio_lustre_co_ratio));
  aggregators.placement_stride =
      static_cast<int>(std::max<std::int64_t>(values.integer(Id::aggregator_placement_stride), 0));
  // Every rank must come to the same plan: hints that may differ between ranks are left out.
  chosen.independent = independent_hints(values);
  const plan::IndependentHints common = independent_hints(Values());
  chosen.independent.sieve_reads = common.sieve_reads;
  chosen.independent.sieve_gap = common.sieve_gap;
  return chosen;
}

plan::Layout layout_of(const Values& values) {
  plan::Layout layout;
  layout.stripe_bytes = values.integer(Id::striping_unit);
  if (layout.stripe_bytes == 0) return layout;
  add_classes(layout, values.text(Id::tributary_server_costs));
  if (!layout.class_of_server.empty()) return layout;
  const std::int64_t servers = values.integer(Id::striping_factor);
  layout.class_of_server.assign(static_cast<std::size_t>(std::max<std::int64_t>(servers, 1)), 0);
  layout.classes.push_back({"server", 1.0});
  return layout;
}

}  // namespace tributary::hints
