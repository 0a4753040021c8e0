#include "mpi/darray.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "view/build.hpp"

namespace tributary::mpi {
namespace {

using view::Tree;
using Numbers = std::span<const std::int64_t>;

// What one process holds of one dimension, as blocks of neighbouring indices:
//   |...bbb......bbb......b|   first, block, every, blocks whole ones, then a rest
struct Share {
  std::int64_t first = 0;
  std::int64_t block = 0;
  std::int64_t every = 0;
  std::int64_t blocks = 0;
  std::int64_t rest = 0;
};

// Adds a dimension around `inner`; `pitch` bytes lie between neighbouring indices.
Tree add_dimension(const Tree& inner, const Share& share, std::int64_t pitch) {
  const Tree block = view::make_strided(share.block, pitch, inner);
  const std::array<Tree, 2> parts{
      view::make_strided(share.blocks, share.every * pitch, block),
      view::make_strided(share.rest, pitch, inner).moved(share.blocks * share.every * pitch)};
  return view::make_sequence(parts).moved(share.first * pitch);
}

// Dimensions from the fastest to the slowest, whatever the array's order.
std::vector<std::size_t> fastest_first(std::size_t dimensions, std::int64_t order) {
  std::vector<std::size_t> indices(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i)
    indices[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return indices;
}

Share contiguous_share(std::int64_t first, std::int64_t count) {
  return {first, count, 0, 1, 0};
}

Share block_share(std::int64_t size, std::int64_t argument, std::int64_t parts, std::int64_t part) {
  const std::int64_t block =
      argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + parts - 1) / parts : argument;
  const std::int64_t first = std::min(part * block, size);
  return contiguous_share(first, std::min(block, size - first));
}

Share cyclic_share(std::int64_t size, std::int64_t argument, std::int64_t parts,
                   std::int64_t part) {
  const std::int64_t block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
  const std::int64_t every = block * parts;
  const std::int64_t first = part * block;
  if (first >= size) return {};
  const std::int64_t behind = size - first;
  const std::int64_t whole_rounds = behind / every;
  const std::int64_t tail = behind - whole_rounds * every;
  if (tail >= block) return {first, block, every, whole_rounds + 1, 0};
  return {first, block, every, whole_rounds, tail};
}

Share share_of(std::int64_t distribution, std::int64_t size, std::int64_t argument,
               std::int64_t parts, std::int64_t part) {
  if (distribution == MPI_DISTRIBUTE_BLOCK) return block_share(size, argument, parts, part);
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return cyclic_share(size, argument, parts, part);
  return contiguous_share(0, size);
}

// The process's place in the grid; grids are row-major whatever the order of the array.
std::vector<std::int64_t> grid_place(std::int64_t rank, Numbers grid) {
  std::vector<std::int64_t> place(grid.size());
  for (std::size_t i = grid.size(); i-- > 0;) {
    place[i] = rank % grid[i];
    rank /= grid[i];
  }
  return place;
}

}  // namespace

Tree decode_subarray(Numbers n, const view::Type& element) {
  const auto dimensions = static_cast<std::size_t>(n[0]);
  const Numbers sizes = n.subspan(1, dimensions);
  const Numbers subsizes = n.subspan(1 + dimensions, dimensions);
  const Numbers starts = n.subspan(1 + 2 * dimensions, dimensions);
  Tree tree = element.tree;
  std::int64_t pitch = element.extent;
  for (const std::size_t d : fastest_first(dimensions, n[1 + 3 * dimensions])) {
    tree = add_dimension(tree, contiguous_share(starts[d], subsizes[d]), pitch);
    pitch *= sizes[d];
  }
  return tree;
}

Tree decode_darray(Numbers n, const view::Type& element) {
  const auto dimensions = static_cast<std::size_t>(n[2]);
  const Numbers sizes = n.subspan(3, dimensions);
  const Numbers distributions = n.subspan(3 + dimensions, dimensions);
  const Numbers arguments = n.subspan(3 + 2 * dimensions, dimensions);
  const Numbers grid = n.subspan(3 + 3 * dimensions, dimensions);
  const std::vector<std::int64_t> place = grid_place(n[1], grid);
  Tree tree = element.tree;
  std::int64_t pitch = element.extent;
  for (const std::size_t d : fastest_first(dimensions, n[3 + 4 * dimensions])) {
    const Share share = share_of(distributions[d], sizes[d], arguments[d], grid[d], place[d]);
    tree = add_dimension(tree, share, pitch);
    pitch *= sizes[d];
  }
  return tree;
}

}  // namespace tributary::mpi
