// Cycles: what one filling of an aggregator's sub-buffer holds. Small blocks share a cycle, a
// block that is larger than the sub-buffer takes several.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/order.hpp"

namespace tributary::plan {

class Cycles {
 public:
  Cycles(const Domain& domain, BlockOrder order, ByteCount buffer_bytes);

  std::int64_t count() const { return count_; }
  // The bytes of a cycle, by offset, neighbours merged; empty behind the last cycle.
  std::vector<Extent> extents(std::int64_t cycle) const;
  // The same as requests, in their order.
  std::vector<Extent> requests(std::int64_t cycle) const;

 private:
  Domain domain_;
  BlockOrder order_;
  ByteCount buffer_bytes_;
  std::int64_t blocks_per_cycle_;
  std::int64_t cycles_per_block_;
  std::int64_t count_;
};

}  // namespace tributary::plan
