// The hot loop: moving bytes between a tree's layout and a contiguous buffer.
// Kernels exist for blocks of 1, 2, 4 ... 256 bytes at a constant stride (loads and stores of
// fixed size, no call per element), for rows, and a generic one.
#pragma once

#include <cstddef>

#include "base/types.hpp"
#include "view/cursor.hpp"

namespace tributary::view {

// group -> contiguous
void gather(std::byte* to, const std::byte* base, const Group& group);
// contiguous -> group
void scatter(std::byte* base, const Group& group, const std::byte* from);

// The scattered side of a copy: `data` is the memory of displacement `origin`.
template <typename Byte>
struct Scattered {
  Byte* data;
  std::int64_t origin = 0;
};

// The next `size` data bytes at the cursor, packed into / unpacked from a contiguous buffer.
void pack(std::byte* to, Scattered<const std::byte> from, Cursor& at, ByteCount size);
void unpack(Scattered<std::byte> to, Cursor& at, const std::byte* from, ByteCount size);

}  // namespace tributary::view
