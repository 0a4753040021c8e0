// Request order: in which order an aggregator touches the blocks of its domain. Cycles of all
// aggregators run side by side, so the order decides which servers are busy at the same time.
//
//   logical         0 1 2 3 ...                by offset, as everybody does
//   concurrency     5 6 7 4                    CACIO: rotated, so that aggregators start at
//                                              different servers
//   heterogeneity   slow servers, then fast    HACIO algorithm 1, for any number of classes:
//                                              class by class, slowest first; within a class
//                                              server by server, from the aggregator's own on
//
// Paper: HACIO sections 2.2 and 3. The n-th block is computed, not looked up: no list of blocks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/layout.hpp"
#include "plan/partition.hpp"

namespace tributary::plan {

enum class RequestOrder : std::uint8_t { logical, concurrency, heterogeneity };
std::string_view name_of(RequestOrder order);

class BlockOrder {
 public:
  BlockOrder(RequestOrder order, const Domain& domain, int aggregator, const Layout& layout);
  // The index of the block that comes n-th.
  std::int64_t at(std::int64_t n) const;

 private:
  // Blocks first, first + step, ... `count` of them.
  struct Run {
    std::int64_t first;
    std::int64_t step;
    std::int64_t count;
  };
  void rotate(const Domain& domain, int aggregator, const Layout& layout);
  void group(const Domain& domain, int aggregator, const Layout& layout);

  std::vector<Run> runs_;
};

}  // namespace tributary::plan
