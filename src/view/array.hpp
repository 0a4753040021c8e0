// Arrays dealt out to a grid of processes, kept symbolic: one strided node for each dimension
// that is not whole, two for each dimension that is dealt out in blocks.
#pragma once

#include "view/tree.hpp"

namespace tributary::view {

// What one process holds of one dimension, as blocks of neighbouring indices:
//   |...bbb......bbb......b|   first, block, every, blocks whole ones, then a rest
struct IndexShare {
  std::int64_t first = 0;
  std::int64_t block = 0;
  std::int64_t every = 0;
  std::int64_t blocks = 0;
  std::int64_t rest = 0;
};

IndexShare contiguous_share(std::int64_t first, std::int64_t count);
// Process `part` has the block of that number.
IndexShare block_share(std::int64_t size, std::int64_t block, std::int64_t part);
// Blocks are dealt out to `parts` processes in turn.
IndexShare cyclic_share(std::int64_t size, std::int64_t block, std::int64_t parts,
                        std::int64_t part);

// Adds a dimension around `inner`; `pitch` bytes lie between neighbouring indices.
Tree add_dimension(const Tree& inner, const IndexShare& share, std::int64_t pitch);

}  // namespace tributary::view
