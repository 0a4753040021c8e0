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
  uninterrupted([&] { return storage.lock({kRanks, kRankSpan}, LockMode::shared, Wait::yes); });
  return false;
}

Result<storage::RangeLock> exclude_other_teams(storage::Storage& storage, Rank rank) {
  return storage::RangeLock::acquire(storage, {kRanks + to_int(rank), 1}, LockMode::exclusive,
                                     Wait::no);
}

}  // namespace tributary::file
