#include "execute/windows.hpp"

#include <algorithm>

#include "view/count.hpp"

namespace tributary::execute {

WindowCutter::WindowCutter(const view::Tree& tree, ByteCount window_bytes, ByteCount gap_bytes)
    : tree_(tree),
      cursor_(tree),
      window_bytes_(window_bytes),
      gap_bytes_(gap_bytes),
      mean_run_(std::max<ByteCount>(tree.node->size / tree.node->runs, 1)),
      guess_(window_bytes) {}

FileOffset WindowCutter::offset_of(ByteCount position) {
  cursor_.seek(position);
  return cursor_.offset();
}

ByteCount WindowCutter::bytes_until(FileOffset end, ByteCount position, ByteCount bytes) const {
  return std::min(view::data_before(tree_, end) - position, bytes);
}

bool WindowCutter::worth(ByteCount length, ByteCount wanted) const {
  const ByteCount runs = std::max<ByteCount>(wanted / mean_run_, 1);
  return length <= gap_bytes_ || (length - wanted) / runs <= gap_bytes_;
}

Window WindowCutter::next(ByteCount position, ByteCount bytes) {
  const FileOffset start = offset_of(position);
  const ByteCount rest = offset_of(position + bytes - 1) + 1 - start;
  ByteCount length = std::min({window_bytes_, guess_, rest});
  ByteCount wanted = bytes_until(start + length, position, bytes);
  while (!worth(length, wanted)) {
    length /= 2;
    wanted = bytes_until(start + length, position, bytes);
  }
  guess_ = length < window_bytes_ / 2 ? length * 2 : window_bytes_;
  return {{start, offset_of(position + wanted - 1) + 1 - start}, wanted};
}

}  // namespace tributary::execute
