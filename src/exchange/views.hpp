// How aggregators learn what the ranks' views look like. Trees travel once for each view, and are
// small for regular views whatever their extent; then a collective access needs only a few words
// from each rank. A rank whose tree is a long list sends, with each access, to each aggregator only
// what lies in that aggregator's domain.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/result.hpp"
#include "execute/collective.hpp"

namespace tributary::exchange {

struct Views {
  std::vector<view::Tree> trees;  // by rank; empty for those who send lists
  std::vector<bool> lists;        // by rank: sends what lies in a domain instead
  ByteCount sent_bytes = 0;       // what this rank told each of the others
};

// Collective.
Result<Views> exchange_views(MPI_Comm comm, const view::Tree& mine);

// What every rank wants, as an aggregator needs to know it. Collective where some rank sends
// lists. `whole` has position, bytes and span of each rank; trees are filled in here. Adds what
// this rank sent to `sent_bytes`.
Status fill_parts(execute::Job& job, MPI_Comm comm, const Views& views,
                  std::vector<execute::RankPart> whole, ByteCount& sent_bytes);

}  // namespace tributary::exchange
