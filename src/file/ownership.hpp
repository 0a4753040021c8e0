// Whether the ranks that opened a file together are the only ones who write it. Rewriting the
// gaps between pieces is safe only then (docs/decisions/0002-when-bytes-are-rewritten.md).
//
// Locks on bytes that no access can reach say it, so nothing is left behind by a crash:
//
//   2^62   owner     held exclusively by rank 0 of the first team that opened the file to write
//   2^62 + 1 + r     rank r of the owners, exclusively, while it rewrites
//   [2^62 + 1, ...)  all of them, shared, by rank 0 of every later team, while it is open
#pragma once

#include "base/types.hpp"
#include "storage/transfer.hpp"

namespace tributary::file {

// For rank 0, at open; what is taken lasts until the storage is closed. True: this team owns
// the file. A file system without locks has no owners.
bool claim_ownership(storage::Storage& storage);

// For a rank of the owners: lasts while the lock lives, and keeps other teams from opening
// meanwhile. Fails where another team has the file open.
Result<storage::RangeLock> exclude_other_teams(storage::Storage& storage, Rank rank);

}  // namespace tributary::file
