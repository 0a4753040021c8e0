// Whole transfers over storage primitives: the only loops for short transfers, EINTR, lists
// longer than IOV_MAX and the kernel's limit of 2 GiB a call.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>

#include "storage/storage.hpp"

namespace tributary::storage {

// How far a transfer came; a read that ends at the end of the file is no error.
struct Moved {
  ByteCount bytes = 0;
  Status status;
};

// Reading and writing are one text; a write never stores through the list or the block.
// `list` is used up: entries are advanced as their bytes are moved.
Moved move_list(Storage& storage, Direction direction, FileOffset offset, std::span<iovec> list);
Moved move_block(Storage& storage, Direction direction, FileOffset offset, std::byte* data,
                 ByteCount length);

// Turns 0 / -errno of the other primitives into a Status; repeats `call` while interrupted.
template <typename Call>
int uninterrupted(Call call) {
  for (;;) {
    const int result = call();
    if (result != -EINTR) return result;
  }
}
Status checked(int result, std::string_view action, const Storage& storage);

// Holds a byte-range lock while it lives; locks nothing when made without an extent.
class RangeLock {
 public:
  static Result<RangeLock> acquire(Storage& storage, Extent extent, LockMode mode,
                                   Wait wait = Wait::yes);
  RangeLock() = default;
  RangeLock(RangeLock&& other) noexcept;
  RangeLock& operator=(RangeLock&& other) noexcept;
  ~RangeLock();

 private:
  Storage* storage_ = nullptr;
  Extent extent_;
};

}  // namespace tributary::storage
