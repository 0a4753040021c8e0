// Which bytes of a cycle anybody wants: all of them, or pieces with holes between. An aggregator
// must not write a hole, whatever the ranks' parts look like; so where parts may overlap, bytes
// are counted one by one (a bit for each) and not by adding up lengths.
#pragma once

#include <vector>

#include "execute/collective.hpp"

namespace tributary::execute {

// Pieces of the sub-buffer, by place: what the aggregator writes, or has to read.
struct Wanted {
  std::vector<Extent> pieces;  // places in the sub-buffer
  ByteCount bytes = 0;
};

Wanted wanted_in(const Job& job, const Placement& placement);

}  // namespace tributary::execute
