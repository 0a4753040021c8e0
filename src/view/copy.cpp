#include "view/copy.hpp"

#include <cstring>

namespace tributary::view {
namespace {

// One kernel for both ways: `layout` is the strided side, `flat` the contiguous one.
template <std::size_t Length, bool Gather, typename Layout, typename Flat>
void copy_small(Layout* __restrict layout, std::ptrdiff_t stride, Flat* __restrict flat,
                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (Gather)
      std::memcpy(flat, layout, Length);
    else
      std::memcpy(layout, flat, Length);
    layout += stride;
    flat += Length;
  }
}

template <bool Gather, typename Layout, typename Flat>
void copy_rows(Layout* layout, const Group& group, Flat* flat) {
  const auto length = static_cast<std::size_t>(group.length);
  for (std::int64_t i = 0; i < group.count; ++i) {
    if constexpr (Gather)
      std::memcpy(flat, layout, length);
    else
      std::memcpy(layout, flat, length);
    layout += group.stride;
    flat += length;
  }
}

template <bool Gather, typename Layout, typename Flat>
void copy_group(Layout* layout, const Group& group, Flat* flat) {
  if (group.count == 1) return copy_rows<Gather>(layout, group, flat);
  switch (group.length) {
    case 1:
      return copy_small<1, Gather>(layout, group.stride, flat, group.count);
    case 2:
      return copy_small<2, Gather>(layout, group.stride, flat, group.count);
    case 4:
      return copy_small<4, Gather>(layout, group.stride, flat, group.count);
    case 8:
      return copy_small<8, Gather>(layout, group.stride, flat, group.count);
    case 16:
      return copy_small<16, Gather>(layout, group.stride, flat, group.count);
    case 32:
      return copy_small<32, Gather>(layout, group.stride, flat, group.count);
    case 64:
      return copy_small<64, Gather>(layout, group.stride, flat, group.count);
    case 128:
      return copy_small<128, Gather>(layout, group.stride, flat, group.count);
    case 256:
      return copy_small<256, Gather>(layout, group.stride, flat, group.count);
    default:
      return copy_rows<Gather>(layout, group, flat);
  }
}

}  // namespace

void gather(std::byte* to, const std::byte* base, const Group& group) {
  copy_group<true>(base + group.offset, group, to);
}

void scatter(std::byte* base, const Group& group, const std::byte* from) {
  copy_group<false>(base + group.offset, group, from);
}

void pack(std::byte* to, Scattered<const std::byte> from, Cursor& at, ByteCount size) {
  while (size > 0) {
    Group group = at.take(size);
    group.offset -= from.origin;
    gather(to, from.data, group);
    to += group.size();
    size -= group.size();
  }
}

void unpack(Scattered<std::byte> to, Cursor& at, const std::byte* from, ByteCount size) {
  while (size > 0) {
    Group group = at.take(size);
    group.offset -= to.origin;
    scatter(to.data, group, from);
    from += group.size();
    size -= group.size();
  }
}

}  // namespace tributary::view
