// What an MPI datatype means, byte by byte, computed from the arguments of its constructor and
// from nothing else: the yardstick of the random tests. Deliberately simple and unlike the
// library's own view engine: every type is a flat list of runs in the order of its type map.
//
// One thing is each MPI's own: the extent of some types. Open MPI pads to the alignment of the
// members after each block, whatever the constructor, and lets explicit bounds of one member
// override the others; MPICH pads structs only, even resized ones, and treats all bounds alike; the
// two differ on members without data. For those types, and only for those, `bounds_vary` is set
// and the generator takes the extent that the MPI reports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tributary::test {

struct Run {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t end() const { return offset + length; }
  bool operator==(const Run&) const = default;
};

struct TypeModel {
  std::vector<Run> runs;             // in type-map order; neighbours that touch are one run
  std::vector<std::uint8_t> basics;  // sizes of the predefined elements, in the same order
  std::int64_t size = 0;
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t alignment = 1;
  bool explicit_bounds = false;  // from resized, subarray or darray
  bool has_empty_member = false;
  bool has_pair = false;          // Open MPI counts it as one basic element, the standard as two
  bool bounds_vary = false;       // see above
  bool true_bounds_vary = false;  // MPICH counts empty members, also those it makes for a darray

  std::int64_t extent() const { return ub - lb; }
  std::int64_t true_lb() const;
  std::int64_t true_ub() const;
  std::int64_t true_extent() const { return true_ub() - true_lb(); }
  void append(Run run);
};

// `count` consecutive copies of `type`, the first at byte `displacement`.
struct Block {
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  const TypeModel* type = nullptr;
};

TypeModel model_predefined(std::int64_t size, std::int64_t alignment);
TypeModel model_pair(std::int64_t first_size, std::int64_t second_size, std::int64_t alignment);

// Every constructor but resized, subarray and darray is a list of blocks.
TypeModel model_blocks(std::span<const Block> blocks);
TypeModel model_resized(const TypeModel& type, std::int64_t lb, std::int64_t extent);

enum class Order { c, fortran };

// The elements `indices[d]` of each dimension d of an array of `sizes`: subarray and darray.
TypeModel model_array(const TypeModel& type, std::span<const int> sizes,
                      std::span<const std::vector<int>> indices, Order order);

enum class Distribution { block, cyclic, none };

// Global indices of one dimension that the process at `coordinate` of `processes` owns.
// `argument` is the block size, or 0 for MPI_DISTRIBUTE_DFLT_DARG.
std::vector<int> distributed_indices(int size, Distribution distribution, int argument,
                                     int processes, int coordinate);

// Would `count` consecutive copies touch a byte twice?
bool overlaps(const TypeModel& type, std::int64_t count);

// A legal file type: offsets not negative, increasing, and consecutive copies do not interleave.
bool is_monotonic(const TypeModel& type);

}  // namespace tributary::test
