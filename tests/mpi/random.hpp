// Random numbers for tests that must replay on any platform: xoshiro256**, seeded by splitmix64
// (Blackman, Vigna 2018). The standard distributions are left alone on purpose: the standard does
// not say which numbers they give, so a seed would name another case with another library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace tributary::test {

inline std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

class Random {
 public:
  // `stream` separates independent sequences of one seed, e.g. one for each rank.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t state = seed;
    state = splitmix(state) ^ (stream * 0xd1342543de82ef95U);
    for (auto& word : words_) word = splitmix(state);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(words_[1] * 5, 7) * 9;
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = rotate(words_[3], 45);
    return result;
  }

  // Any value of [low, high], both included. The bias of the modulo does not matter here.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(next() % width);
  }
  int small(int low, int high) { return static_cast<int>(between(low, high)); }

  // Mostly small values of [0, high], now and then a large one.
  std::int64_t skewed(std::int64_t high) {
    std::int64_t limit = high;
    while (limit > 1 && chance(1, 2)) limit /= 4;
    return between(0, limit);
  }

  bool chance(int numerator, int denominator) { return between(1, denominator) <= numerator; }

  template <typename T>
  const T& pick(std::span<const T> choices) {
    return choices[static_cast<std::size_t>(
        between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return pick(std::span<const T>(choices.begin(), choices.size()));
  }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }

  void fill(std::span<std::uint8_t> bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % 8 == 0) word = next();
      bytes[i] = static_cast<std::uint8_t>(word >> (8 * (i % 8)));
    }
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t words_[4];
};

}  // namespace tributary::test
