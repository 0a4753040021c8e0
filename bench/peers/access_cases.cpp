#include "access_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tributary::bench {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

Datatype element(std::int64_t bytes) {
  if (bytes == 1) return Datatype::named(MPI_BYTE);
  if (bytes == 4) return Datatype::named(MPI_INT);
  if (bytes == 8) return Datatype::named(MPI_DOUBLE);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type);
  return Datatype::committed(type);
}

Side contiguous(std::int64_t base, std::int64_t bytes) {
  return {Datatype::named(MPI_BYTE), static_cast<int>(bytes), base, {base, bytes, {}}};
}

// `count` blocks of `bytes`, one every `stride`, from `base` on.
Side strided(std::int64_t base, std::int64_t count, std::int64_t bytes, std::int64_t stride) {
  const Datatype piece = element(bytes);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(static_cast<int>(count), 1, stride, piece.get(), &type);
  return {Datatype::committed(type), 1, base, {base, bytes, {{count, stride}}}};
}

// Elements with gaps of their own size, each rank in its own part of the file.
Access strided_memory(const Job& job) {
  const std::int64_t unit = job.unit_bytes;
  const std::int64_t count = job.bytes / unit;
  return {strided(0, count, unit, 2 * unit), contiguous(job.rank * count * unit, count * unit),
          Datatype::named(MPI_BYTE)};
}

Access strided_file(const Job& job) {
  const std::int64_t unit = job.unit_bytes;
  const std::int64_t count = job.bytes / unit;
  return {contiguous(0, count * unit), strided(job.rank * count * 2 * unit, count, unit, 2 * unit),
          element(unit)};
}

Access strided_both(const Job& job) {
  Access access = strided_file(job);
  access.memory = strided(0, job.bytes / job.unit_bytes, job.unit_bytes, 2 * job.unit_bytes);
  return access;
}

// One call for each block, as IOR's segmented file.
Access contiguous_blocks(const Job& job) {
  const std::int64_t calls = std::max<std::int64_t>(1, job.bytes / job.unit_bytes);
  Access access{contiguous(0, calls * job.unit_bytes),
                contiguous(job.rank * calls * job.unit_bytes, calls * job.unit_bytes),
                Datatype::named(MPI_BYTE), static_cast<int>(calls)};
  access.memory.count = static_cast<int>(job.unit_bytes);
  return access;
}

// HPIO: regions of all ranks take turns in the file, a gap of the region's size after each.
Access regions_file(const Job& job) {
  const std::int64_t unit = job.unit_bytes;
  const std::int64_t count = job.bytes / unit;
  return {contiguous(0, count * unit),
          strided(job.rank * 2 * unit, count, unit, job.ranks * 2 * unit),
          Datatype::named(MPI_BYTE)};
}

Access regions_both(const Job& job) {
  Access access = regions_file(job);
  access.memory = strided(0, job.bytes / job.unit_bytes, job.unit_bytes, 2 * job.unit_bytes);
  return access;
}

Access interleaved(const Job& job) {
  const std::int64_t unit = job.unit_bytes;
  const std::int64_t count = std::max<std::int64_t>(1, job.bytes / unit);
  return {contiguous(0, count * unit), strided(job.rank * unit, count, unit, job.ranks * unit),
          Datatype::named(MPI_BYTE)};
}

// mpi-tile-io without overlap: a grid of tiles, 256 elements wide (16 where elements are large), as
// high as the bytes allow.
Access tile_2d(const Job& job) {
  const int width = job.unit_bytes < kMebibyte ? 256 : 16;
  std::array<int, 2> grid{};
  MPI_Dims_create(job.ranks, 2, grid.data());  // the larger comes first: columns
  const std::int64_t row = width * job.unit_bytes;
  const std::int64_t rows = std::max<std::int64_t>(1, job.bytes / row);
  const std::int64_t column_index = job.rank % grid[0];
  const std::int64_t row_index = job.rank / grid[0];
  const std::array<int, 2> sizes{static_cast<int>(rows) * grid[1], width * grid[0]};
  const std::array<int, 2> subsizes{static_cast<int>(rows), width};
  const std::array<int, 2> starts{static_cast<int>(row_index * rows),
                                  static_cast<int>(column_index * width)};
  Datatype etype = element(job.unit_bytes);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C,
                           etype.get(), &type);
  const std::int64_t pitch = row * grid[0];
  Layout layout{row_index * rows * pitch + column_index * row, row, {{rows, pitch}}};
  return {contiguous(0, rows * row),
          {Datatype::committed(type), 1, 0, std::move(layout)},
          std::move(etype)};
}

// HPIO with gaps in memory only: each rank's regions follow one another in its part of the file.
Access regions_memory(const Job& job) {
  return strided_memory(job);
}

// coll_perf: a 3-D array of ints in blocks, one for each rank; the file is the array in C order.
Access darray_3d(const Job& job) {
  std::array<int, 3> grid{};
  MPI_Dims_create(job.ranks, 3, grid.data());
  std::array<int, 3> sizes{};
  std::array<int, 3> subsizes{};
  const auto side = static_cast<int>(
      std::cbrt(static_cast<double>(job.bytes) * job.ranks / static_cast<double>(sizeof(int))));
  for (std::size_t i = 0; i < 3; ++i) {
    subsizes[i] = std::max(side / grid[i], 1);
    sizes[i] = subsizes[i] * grid[i];
  }
  const std::array<int, 3> place{job.rank / (grid[1] * grid[2]), job.rank / grid[2] % grid[1],
                                 job.rank % grid[2]};
  const std::array<int, 3> kinds{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
  const std::array<int, 3> arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                                     MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(job.ranks, job.rank, 3, sizes.data(), kinds.data(), arguments.data(),
                         grid.data(), MPI_ORDER_C, MPI_INT, &type);
  const std::int64_t unit = sizeof(int);
  const std::int64_t row = sizes[2] * unit;
  const std::int64_t plane = sizes[1] * row;
  Layout layout{
      place[0] * subsizes[0] * plane + place[1] * subsizes[1] * row + place[2] * subsizes[2] * unit,
      subsizes[2] * unit,
      {{subsizes[0], plane}, {subsizes[1], row}}};
  const std::int64_t bytes = layout.payload_bytes();
  return {contiguous(0, bytes),
          {Datatype::committed(type), 1, 0, std::move(layout)},
          Datatype::named(MPI_INT)};
}

// Volumes: a call takes 10 to 500 ms with one of the peers, and the slowest stays bearable.
constexpr std::array kCases = {
    Case{"mem-strided-1", strided_memory, 1, 2, 1, true},
    Case{"mem-strided-4", strided_memory, 4, 8, 1, true},
    Case{"mem-strided-8", strided_memory, 8, 16, 1, true},
    Case{"mem-strided-16", strided_memory, 16, 32, 1, true},
    Case{"file-strided-1", strided_file, 1, 1, 1, true},
    Case{"file-strided-4", strided_file, 4, 4, 1, true},
    Case{"file-strided-8", strided_file, 8, 8, 1, true},
    Case{"file-strided-16", strided_file, 16, 16, 1, true},
    Case{"both-strided-1", strided_both, 1, 1, 1, true},
    Case{"both-strided-4", strided_both, 4, 4, 1, true},
    Case{"both-strided-8", strided_both, 8, 8, 1, true},
    Case{"both-strided-16", strided_both, 16, 16, 1, true},
    Case{"contiguous", contiguous_blocks, kMebibyte, 256, 2, false},
    Case{"contiguous-4096", contiguous_blocks, 4096, 64, 1, false},
    Case{"contiguous-64", contiguous_blocks, 64, 1, 1, false},
    Case{"tile-2d-256", tile_2d, 256, 256, 4, false},
    Case{"tile-2d-1M", tile_2d, kMebibyte, 512, 4, false},
    Case{"darray-3d", darray_3d, 4, 256, 4, false},
    Case{"hpio-memory-64", regions_memory, 64, 64, 4, false},
    Case{"hpio-memory-1024", regions_memory, 1024, 128, 4, false},
    Case{"hpio-file-64", regions_file, 64, 32, 4, false},
    Case{"hpio-file-128", regions_file, 128, 64, 4, false},
    Case{"hpio-file-1024", regions_file, 1024, 128, 4, false},
    Case{"hpio-both-64", regions_both, 64, 32, 4, false},
    Case{"hpio-both-128", regions_both, 128, 64, 4, false},
    Case{"hpio-both-1024", regions_both, 1024, 128, 4, false},
    Case{"interleaved-4096", interleaved, 4096, 256, 4, false},
    Case{"interleaved-47008", interleaved, 47008, 256, 4, false},
};

}  // namespace

std::span<const Case> cases() {
  return kCases;
}

const Case* find_case(std::string_view name) {
  const auto found = std::ranges::find(kCases, name, &Case::name);
  return found == kCases.end() ? nullptr : &*found;
}

}  // namespace tributary::bench
