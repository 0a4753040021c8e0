// Words shared by every folder: file offsets, byte counts and half-open extents.
// See docs/glossary.md; one word has one meaning in the whole library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tributary {

using FileOffset = std::int64_t;  // bytes from the start of the file
using ByteCount = std::int64_t;   // never negative

// Offsets and data positions stay below this, so that sums of two cannot overflow.
inline constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 61;

// A half-open range of bytes [offset, offset + length) of a file.
struct Extent {
  FileOffset offset = 0;
  ByteCount length = 0;

  FileOffset end() const { return offset + length; }
  bool empty() const { return length == 0; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

enum class Direction : std::uint8_t { read, write };

// Ranks of a communicator; a type of its own so that a count cannot be passed for it.
enum class Rank : int {};
constexpr int to_int(Rank rank) {
  return static_cast<int>(rank);
}

}  // namespace tributary
