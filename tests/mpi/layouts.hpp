// Views for several ranks whose bytes never meet, so that every rank can predict what it reads.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "random_types.hpp"

namespace tributary::test {

// One rank's view and the etypes [begin, end) of it that belong to this rank.
struct Layout {
  const char* name = "";
  std::int64_t displacement = 0;
  RandomType filetype;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// What all ranks have in common.
struct LayoutFrame {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  std::int64_t origin = 0;      // lowest byte of the file that may be touched
  std::int64_t span_bytes = 0;  // about how much of the file is used
  bool empty_views = true;      // a rank may get no byte at all
  TypeOptions type_options;
};

// `common` gives the same numbers on every rank, `own` others on each.
class LayoutBuilder {
 public:
  LayoutBuilder(Random& common, Random& own, const Leaf& etype, LayoutFrame frame);
  Layout build();  // collective

 private:
  Layout slots();      // random type of each rank's own, tiles take turns
  Layout grid();       // a distributed array
  Layout slabs();      // a subarray for each rank
  Layout deal();       // pieces of a tile dealt out at random
  Layout regions();    // random type of each rank's own, one after the other
  Layout same_view();  // one view for all, ranks take turns along it

  RandomType own_type(std::int64_t span_max);
  RandomType simple_type(TypeGenerator& generator, std::int64_t count);
  Layout tiled(const char* name, RandomType filetype);
  void shift_back(Layout& layout);
  int take_rank();

  Random& common_;
  Random& own_;
  const Leaf* etype_;
  LayoutFrame frame_;
  TypeGenerator common_types_;
  TypeGenerator own_types_;
  std::int64_t unit_;  // extent of the etype
};

}  // namespace tributary::test
