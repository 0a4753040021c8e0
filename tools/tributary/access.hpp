// What the ranks of a job access, from the job file: each rank's part becomes a tree of view/, as
// a file view would, and of that the planner's facts are taken. Regular kinds stay symbolic, so
// the cost does not depend on the size of the data.
#pragma once

#include <string>
#include <vector>

#include "plan/collective.hpp"
#include "reader.hpp"

namespace tributary::tools {

struct Accesses {
  std::vector<plan::RankAccess> ranks;
  bool ascending = true;  // no rank's view steps back or overlaps itself
  std::string summary;    // "interleaved: 2 blocks of 64 KiB for each rank"
};

Accesses read_access(const Reader& access, int ranks);

}  // namespace tributary::tools
