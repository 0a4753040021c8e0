// What the text and the JSON of a plan share: excerpts of what may be long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/collective.hpp"

namespace tributary::plan {

// Which of `count` entries are shown: all of them, or the first and the last few.
struct Excerpt {
  Excerpt(std::size_t count, std::size_t limit);
  std::vector<std::size_t> shown;
  std::size_t head = 0;      // so many are shown before the gap
  std::size_t left_out = 0;  // in the gap
};

// What the cycles cost: the first ones one by one, and the sum of all.
struct CostSummary {
  std::vector<CycleCost> first;
  std::optional<double> sum;  // nothing: too many requests to go through
  double cost_max = 0;        // of a cycle, where there is a sum
};
CostSummary summarise_costs(const CollectivePlan& plan, const Layout& layout,
                            std::int64_t first_cycles);

// Whether the requests of a single cycle are few enough to be listed.
bool can_list_requests(const CollectivePlan& plan);

// The first steps of the plan's program, without making the whole of it.
Program first_steps(const CollectivePlan& plan, std::size_t steps);
std::size_t step_count(const CollectivePlan& plan);

std::string_view class_name(const Layout& layout, int server);

}  // namespace tributary::plan
