// Where the payload bytes of an access lie, in memory or in the file, said without MPI: the
// benchmark fills and checks buffers and files by this description, never by the datatypes it
// measures, so that a wrong datatype decoder cannot agree with itself.
//
//     base    block                 levels = {{3, stride}}
//      |.....[####]......[####]......[####]
//
// Payload byte i of a writer has a value of its own, pattern_byte(salt, i), that is never zero:
// a zero in the file is a byte that nobody wrote.
#pragma once

#include <cstdint>
#include <vector>

namespace tributary::bench {

struct Level {
  std::int64_t count;
  std::int64_t stride_bytes;
};

struct Layout {
  std::int64_t base = 0;
  std::int64_t block_bytes = 0;
  std::vector<Level> levels;  // outermost first

  std::int64_t payload_bytes() const {
    std::int64_t bytes = block_bytes;
    for (const Level& level : levels) bytes *= level.count;
    return bytes;
  }

  // One past the last payload byte.
  std::int64_t end() const {
    std::int64_t end = base + block_bytes;
    for (const Level& level : levels) end += (level.count - 1) * level.stride_bytes;
    return end;
  }

  // Calls visit(offset, bytes) for each block, in payload order.
  template <typename Visit>
  void for_each_block(Visit&& visit) const {
    for_each_block_below(0, base, visit);
  }

 private:
  template <typename Visit>
  void for_each_block_below(std::size_t depth, std::int64_t offset, Visit&& visit) const {
    if (depth == levels.size()) {
      visit(offset, block_bytes);
      return;
    }
    for (std::int64_t i = 0; i < levels[depth].count; ++i) {
      for_each_block_below(depth + 1, offset + i * levels[depth].stride_bytes, visit);
    }
  }
};

inline std::uint8_t pattern_byte(std::uint32_t salt, std::int64_t index) {
  const auto mixed = (static_cast<std::uint32_t>(index) + salt) * 2654435761U;
  return static_cast<std::uint8_t>((mixed >> 24) | 1U);
}

inline void fill(std::uint8_t* space, const Layout& layout, std::uint32_t salt) {
  std::int64_t index = 0;
  layout.for_each_block([&](std::int64_t offset, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; ++i) space[offset + i] = pattern_byte(salt, index++);
  });
}

// The number of payload bytes in `space` that are not what fill() would have put there.
inline std::int64_t count_wrong(const std::uint8_t* space, const Layout& layout,
                                std::uint32_t salt) {
  std::int64_t index = 0;
  std::int64_t wrong = 0;
  layout.for_each_block([&](std::int64_t offset, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; ++i) {
      wrong += space[offset + i] != pattern_byte(salt, index++);
    }
  });
  return wrong;
}

}  // namespace tributary::bench
