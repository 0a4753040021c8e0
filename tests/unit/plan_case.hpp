// Facts and hints that tests of plans share.
#pragma once

#include "plan/collective.hpp"

namespace tributary::plan {

struct Case {
  CollectiveFacts facts;
  CollectiveHints hints;
  CollectivePlan plan() const { return plan_collective(facts, hints); }
};

// HACIO section 2.2: two HDD servers at 5 T and two SSD servers at 1 T in turn, four processes
// with two blocks each, two aggregators, one block for a cycle.
inline Case hacio_example() {
  Case result;
  constexpr ByteCount kBlock = 64;
  result.facts.layout = {kBlock, {0, 1, 0, 1}, {{"HServer", 5}, {"SServer", 1}}};
  result.facts.topology.ranks = 4;
  for (int rank = 0; rank < 4; ++rank)
    result.facts.ranks.push_back({{rank * kBlock, 5 * kBlock}, 2 * kBlock, kBlock});
  result.hints.strategy = CollectiveStrategy::two_phase;
  result.hints.partitioning = Partitioning::even;
  result.hints.aggregators.count = 2;
  result.hints.buffer_bytes = kBlock;
  result.hints.schedule = Schedule::none;
  return result;
}

}  // namespace tributary::plan
