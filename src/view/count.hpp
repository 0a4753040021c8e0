// The inverse of a cursor: how many data bytes of a tree lie before a displacement.
// Used for MPI_SEEK_END in a view with holes, and to cut a view at a domain's borders.
#pragma once

#include "view/tree.hpp"

namespace tributary::view {

// Data bytes whose displacement is below `limit`. O(depth x log entries) for ascending
// trees; exact for all others too, where entries that straddle the limit are visited.
ByteCount data_before(const Tree& tree, std::int64_t limit);

}  // namespace tributary::view
