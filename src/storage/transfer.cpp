#include "storage/transfer.hpp"

#include <limits.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/errno_error.hpp"

namespace tributary::storage {
namespace {

// Drops `moved` bytes from the front of the list.
std::span<iovec> drop_front(std::span<iovec> list, std::size_t moved) {
  while (!list.empty() && moved >= list.front().iov_len) {
    moved -= list.front().iov_len;
    list = list.subspan(1);
  }
  if (moved > 0) {
    iovec& front = list.front();
    front.iov_base = static_cast<std::byte*>(front.iov_base) + moved;
    front.iov_len -= moved;
  }
  return list;
}

ssize_t move_some(Storage& storage, Direction direction, FileOffset offset,
                  std::span<const iovec> list) {
  return direction == Direction::read ? storage.read_some(offset, list)
                                      : storage.write_some(offset, list);
}

}  // namespace

Moved move_list(Storage& storage, Direction direction, FileOffset offset, std::span<iovec> list) {
  Moved moved;
  list = drop_front(list, 0);
  while (!list.empty()) {
    const auto batch = list.first(std::min<std::size_t>(list.size(), IOV_MAX));
    const ssize_t count = move_some(storage, direction, offset + moved.bytes, batch);
    if (count == -EINTR) continue;
    if (count == 0 && direction == Direction::read) return moved;
    if (count <= 0) {
      const int error_number = count == 0 ? EIO : static_cast<int>(-count);
      moved.status = errno_error(direction == Direction::read ? "read" : "write to", storage.path(),
                                 error_number);
      return moved;
    }
    moved.bytes += count;
    list = drop_front(list, static_cast<std::size_t>(count));
  }
  return moved;
}

Moved move_block(Storage& storage, Direction direction, FileOffset offset, std::byte* data,
                 ByteCount length) {
  iovec one{data, static_cast<std::size_t>(length)};
  return move_list(storage, direction, offset, {&one, 1});
}

Status checked(int result, std::string_view action, const Storage& storage) {
  if (result >= 0) return {};
  return errno_error(action, storage.path(), -result);
}

Result<RangeLock> RangeLock::acquire(Storage& storage, Extent extent, LockMode mode, Wait wait) {
  const int result = uninterrupted([&] { return storage.lock(extent, mode, wait); });
  if (Status locked = checked(result, "lock a range of", storage); !locked) return locked.error();
  RangeLock lock;
  lock.storage_ = &storage;
  lock.extent_ = extent;
  return lock;
}

RangeLock::RangeLock(RangeLock&& other) noexcept
    : storage_(std::exchange(other.storage_, nullptr)), extent_(other.extent_) {}

RangeLock& RangeLock::operator=(RangeLock&& other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(extent_, other.extent_);
  return *this;
}

RangeLock::~RangeLock() {
  if (storage_ != nullptr) uninterrupted([&] { return storage_->unlock(extent_); });
}

}  // namespace tributary::storage
