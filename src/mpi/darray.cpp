#include "mpi/darray.hpp"

#include <mpi.h>

#include <vector>

#include "view/array.hpp"

namespace tributary::mpi {
namespace {

using view::IndexShare;
using view::Tree;
using Numbers = std::span<const std::int64_t>;

// Dimensions from the fastest to the slowest, whatever the array's order.
std::vector<std::size_t> fastest_first(std::size_t dimensions, std::int64_t order) {
  std::vector<std::size_t> indices(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i)
    indices[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return indices;
}

IndexShare share_of(std::int64_t distribution, std::int64_t size, std::int64_t argument,
                    std::int64_t parts, std::int64_t part) {
  const bool usual = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (distribution == MPI_DISTRIBUTE_BLOCK)
    return view::block_share(size, usual ? (size + parts - 1) / parts : argument, part);
  if (distribution == MPI_DISTRIBUTE_CYCLIC)
    return view::cyclic_share(size, usual ? 1 : argument, parts, part);
  return view::contiguous_share(0, size);
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
    tree = view::add_dimension(tree, view::contiguous_share(starts[d], subsizes[d]), pitch);
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
    const IndexShare share = share_of(distributions[d], sizes[d], arguments[d], grid[d], place[d]);
    tree = view::add_dimension(tree, share, pitch);
    pitch *= sizes[d];
  }
  return tree;
}

}  // namespace tributary::mpi
