// Random nested MPI datatypes, each together with its model (type_model.hpp).
//
// A generator starts from a leaf (a predefined type, or the etype of a view) and wraps it in up to
// `depth_max` constructors. In file mode the result is a legal file type; in memory mode blocks
// come in any order, strides may be negative, and copies may overlap if that is allowed. Whatever
// the model can compute itself is compared with what the MPI reports; see complaints().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "random.hpp"
#include "type_model.hpp"

namespace tributary::test {

// Owns a datatype handle, unless it is a predefined one.
class Datatype {
 public:
  Datatype() = default;
  static Datatype owned(MPI_Datatype handle) { return Datatype(handle, true); }
  static Datatype borrowed(MPI_Datatype handle) { return Datatype(handle, false); }
  Datatype(Datatype&& other) noexcept { swap(other); }
  Datatype& operator=(Datatype&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Datatype() {
    if (owned_) MPI_Type_free(&handle_);
  }
  MPI_Datatype get() const { return handle_; }
  void commit() {
    if (owned_) MPI_Type_commit(&handle_);
  }

 private:
  Datatype(MPI_Datatype handle, bool is_owned) : handle_(handle), owned_(is_owned) {}
  void swap(Datatype& other) {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
  }
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

struct RandomType {
  Datatype handle;
  TypeModel model;
  std::string recipe;  // only with TypeOptions::describe
};

// What a generator starts from. The handle is borrowed.
struct Leaf {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  TypeModel model;
  std::string name;
};

// Predefined types of all sizes, without and with the pair types that have holes.
std::span<const Leaf> plain_leaves();
std::span<const Leaf> all_leaves();
const Leaf& byte_leaf();

struct TypeOptions {
  bool file = false;           // a legal file type, else a memory type
  bool may_overlap = false;    // memory only: a byte may occur twice
  bool empty_parts = true;     // zero-length blocks, zero-count types
  bool shifted_bounds = true;  // lower bounds other than zero
  bool describe = false;       // keep recipes, for failure reports
  int depth_max = 3;
  std::int64_t bytes_max = 512;
  std::int64_t unit = 1;  // file only: holes are multiples of it (the extent of the etype)
};

class TypeGenerator {
 public:
  TypeGenerator(Random& random, TypeOptions options, std::span<const Leaf> leaves)
      : random_(random), options_(options), leaves_(leaves) {}

  // Committed; may be without data.
  RandomType make();
  // Committed; its size is a positive multiple of `granule`.
  RandomType make_sized(std::int64_t granule);
  RandomType leaf();

  // Constructors with given arguments; not committed.
  RandomType resized(const RandomType& child, std::int64_t lb, std::int64_t extent);
  RandomType contiguous(const RandomType& child, int count);
  RandomType array(const RandomType& child, const std::vector<int>& sizes,
                   const std::vector<int>& counts, const std::vector<int>& starts, Order order);
  struct Grid {
    int processes = 1;
    int rank = 0;
    std::vector<int> sizes;
    std::vector<Distribution> distributions;
    std::vector<int> arguments;  // 0: default
    std::vector<int> extents;    // processes in each dimension
    Order order = Order::c;
  };
  RandomType grid_part(const RandomType& child, const Grid& grid);
  RandomType indexed(const RandomType& child, const std::vector<int>& lengths,
                     const std::vector<int>& displacements);

  // Where model and MPI disagree. Empty unless one of them is wrong.
  static std::vector<std::string>& complaints();

 private:
  struct Parts;
  RandomType make(int depth, std::int64_t bytes_max);
  RandomType wrap(const RandomType& child, int depth, std::int64_t bytes_max);
  RandomType random_contiguous(const RandomType& child, std::int64_t bytes_max);
  RandomType random_vector(const RandomType& child, std::int64_t bytes_max, bool in_bytes);
  RandomType random_indexed(const RandomType& child, std::int64_t bytes_max);
  RandomType random_struct(const RandomType& child, int depth, std::int64_t bytes_max);
  RandomType random_array(const RandomType& child, std::int64_t bytes_max);
  RandomType random_grid(const RandomType& child, std::int64_t bytes_max);
  RandomType random_resized(const RandomType& child);
  RandomType random_column(const RandomType& child, std::int64_t bytes_max);
  RandomType duplicate(const RandomType& child);

  int copies(const RandomType& child, std::int64_t bytes_max);
  Parts place(const TypeModel& child, std::int64_t bytes_max, bool in_bytes, bool equal_lengths);
  bool acceptable(const TypeModel& model) const;
  RandomType finish(MPI_Datatype handle, TypeModel model, std::string recipe);
  std::string say(const char* name, std::span<const std::int64_t> values,
                  const std::string& child) const;

  Random& random_;
  TypeOptions options_;
  std::span<const Leaf> leaves_;
};

}  // namespace tributary::test
