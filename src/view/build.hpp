// Builders of canonical trees. Each one drops empty parts, merges runs that touch and
// collapses what is regular, so that the result is canonical by construction.
//
// The caller vouches that the data lies within +-kOffsetLimit (mpi/decode.cpp checks the
// true extent of the whole type first), so sums and products here cannot overflow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/tree.hpp"

namespace tributary::view {

Tree make_block(ByteCount size, std::int64_t at = 0);

// `count` copies of `child`, each `stride` bytes behind the one before it.
Tree make_strided(std::int64_t count, std::int64_t stride, const Tree& child);

// The parts one after the other in data order, each where it lies.
Tree make_sequence(std::span<const Tree> parts);

// `count` copies of a type, as a buffer or a file view repeats it.
Tree make_repeated(const Type& type, std::int64_t count);

// Collects plain runs (displacement, length) in data order; merges neighbours that touch.
class RunList {
 public:
  void reserve(std::size_t runs);
  void add(std::int64_t displacement, ByteCount length);
  Tree finish() &&;

 private:
  std::vector<std::int64_t> displacements_;
  std::vector<ByteCount> starts_{0};
};

}  // namespace tributary::view
