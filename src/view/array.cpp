#include "view/array.hpp"

#include <algorithm>
#include <array>

#include "view/build.hpp"

namespace tributary::view {

IndexShare contiguous_share(std::int64_t first, std::int64_t count) {
  return {first, count, 0, 1, 0};
}

IndexShare block_share(std::int64_t size, std::int64_t block, std::int64_t part) {
  const std::int64_t first = std::min(part * block, size);
  return contiguous_share(first, std::min(block, size - first));
}

IndexShare cyclic_share(std::int64_t size, std::int64_t block, std::int64_t parts,
                        std::int64_t part) {
  block = std::min(block, size);  // changes nothing but keeps products small
  const std::int64_t every = std::min(block * parts, size);
  const std::int64_t first = part * block;
  if (first >= size) return {};
  const std::int64_t rounds = (size - first) / every;
  const std::int64_t tail = size - first - rounds * every;
  if (tail >= block) return {first, block, every, rounds + 1, 0};
  return {first, block, every, rounds, tail};
}

Tree add_dimension(const Tree& inner, const IndexShare& share, std::int64_t pitch) {
  const Tree block = make_strided(share.block, pitch, inner);
  const std::array<Tree, 2> parts{
      make_strided(share.blocks, share.every * pitch, block),
      make_strided(share.rest, pitch, inner).moved(share.blocks * share.every * pitch)};
  return make_sequence(parts).moved(share.first * pitch);
}

}  // namespace tributary::view
