#include "file/ownership.hpp"

#include <cerrno>

namespace tributary::file {
namespace {

using storage::LockMode;
using storage::uninterrupted;
using storage::Wait;

constexpr FileOffset kOwner = FileOffset{1} << 62;
constexpr FileOffset kRanks = kOwner + 1;
constexpr ByteCount kRankSpan = ByteCount{1} << 31;

}  // namespace

bool claim_ownership(storage::Storage& storage) {
  const int owned = uninterrupted([&] {
    return storage.lock({kOwner, 1}, LockMode::exclusive, Wait::no);
  });
  if (owned != -EAGAIN && owned != -EACCES) return owned == 0;
  // A file that may only be written has no shared locks; the exclusive one may be refused, but
  // then by another team that is here and keeps the owners from rewriting.
  const Extent presence{kRanks, kRankSpan};
  uninterrupted([&] {
    return storage.readable() ? storage.lock(presence, LockMode::shared, Wait::yes)
                              : storage.lock(presence, LockMode::exclusive, Wait::no);
  });
  return false;
}

Result<storage::RangeLock> exclude_other_teams(storage::Storage& storage, Rank rank) {
  return storage::RangeLock::acquire(storage, {kRanks + to_int(rank), 1}, LockMode::exclusive,
                                     Wait::no);
}

}  // namespace tributary::file
