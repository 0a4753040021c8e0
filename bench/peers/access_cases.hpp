// The access patterns of the benchmark, as rows of one table: a name, a builder, a unit (the size
// in bytes of the piece that the name speaks of) and what to do by default. A builder says for
// one rank what lies where, in memory and in the file, twice: as MPI datatypes (what is measured)
// and as a Layout (what is checked).
#pragma once

#include <mpi.h>

#include <span>
#include <string_view>
#include <utility>

#include "layout.hpp"

namespace tributary::bench {

class Datatype {
 public:
  Datatype() = default;
  static Datatype named(MPI_Datatype type) { return Datatype(type, false); }
  static Datatype committed(MPI_Datatype type) {
    MPI_Type_commit(&type);
    return Datatype(type, true);
  }
  Datatype(Datatype&& other) noexcept
      : type_(other.type_), owned_(std::exchange(other.owned_, false)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Datatype() {
    if (owned_) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  Datatype(MPI_Datatype type, bool owned) : type_(type), owned_(owned) {}
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

struct Side {
  Datatype type;
  int count = 1;                  // memory: how many of `type` one call moves
  std::int64_t displacement = 0;  // file: of the view; `type` holds the rest of layout.base
  Layout layout;
};

struct Access {
  Side memory;
  Side file;
  Datatype etype;  // of the view; its size divides the bytes of a call
  int calls = 1;   // equal calls, one after the other, contiguous in memory when more than one
};

struct Job {
  int rank;
  int ranks;
  std::int64_t bytes;  // payload of this rank, at most
  std::int64_t unit_bytes;
};

struct Case {
  std::string_view name;
  Access (*build)(const Job& job);
  std::int64_t unit_bytes;
  std::int64_t mebibytes;  // payload of all ranks together
  int ranks;               // by default
  bool fresh;              // also time the writing of a new file, by default
};

std::span<const Case> cases();
const Case* find_case(std::string_view name);

}  // namespace tributary::bench
