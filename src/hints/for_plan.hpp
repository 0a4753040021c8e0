// The hints in the planner's words: the one place where hint rows meet plan/. The library and
// `tributary explain` both come through here.
#pragma once

#include "hints/values.hpp"
#include "plan/collective.hpp"
#include "plan/independent.hpp"

namespace tributary::hints {

plan::IndependentHints independent_hints(const Values& values);
plan::CollectiveHints collective_hints(const Values& values, Direction direction);

// Striping as the hints tell it: striping_unit, striping_factor, tributary_server_costs.
plan::Layout layout_of(const Values& values);

}  // namespace tributary::hints
