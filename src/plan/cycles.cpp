#include "plan/cycles.hpp"

#include <algorithm>
#include <utility>

namespace tributary::plan {

Cycles::Cycles(const Domain& domain, BlockOrder order, ByteCount buffer_bytes)
    : domain_(domain),
      order_(std::move(order)),
      buffer_bytes_(buffer_bytes),
      blocks_per_cycle_(std::max<std::int64_t>(buffer_bytes / domain.block, 1)),
      cycles_per_block_((domain.block + buffer_bytes - 1) / buffer_bytes),
      count_((domain.blocks + blocks_per_cycle_ - 1) / blocks_per_cycle_ * cycles_per_block_) {}

std::vector<Extent> Cycles::requests(std::int64_t cycle) const {
  std::vector<Extent> result;
  const std::int64_t first = cycle / cycles_per_block_ * blocks_per_cycle_;
  const std::int64_t last = std::min(first + blocks_per_cycle_, domain_.blocks);
  for (std::int64_t i = first; i < last; ++i) {
    const Extent block = domain_.block_at(order_.at(i));
    const FileOffset from = block.offset + cycle % cycles_per_block_ * buffer_bytes_;
    const ByteCount length = std::min(buffer_bytes_, block.end() - from);
    if (length > 0) result.push_back({from, length});
  }
  return result;
}

std::vector<Extent> Cycles::extents(std::int64_t cycle) const {
  std::vector<Extent> sorted = requests(cycle);
  std::ranges::sort(sorted, {}, &Extent::offset);
  std::vector<Extent> merged;
  for (const Extent& extent : sorted) {
    if (!merged.empty() && merged.back().end() == extent.offset)
      merged.back().length += extent.length;
    else
      merged.push_back(extent);
  }
  return merged;
}

}  // namespace tributary::plan
