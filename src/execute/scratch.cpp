#include "execute/scratch.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tributary::execute {
namespace {

struct Kept {
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity;
};

constexpr std::size_t kKeptBuffers = 4;
constexpr std::size_t kKeptCapacity = std::size_t{64} << 20;

struct Pool {
  std::mutex mutex;
  std::vector<Kept> kept;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: calls may come from exit handlers
  return *instance;
}

}  // namespace

Scratch::Scratch(ByteCount size) {
  const auto wanted = static_cast<std::size_t>(size);
  {
    const std::scoped_lock guard(pool().mutex);
    auto& kept = pool().kept;
    const auto fitting = std::find_if(kept.begin(), kept.end(),
                                      [&](const Kept& one) { return one.capacity >= wanted; });
    if (fitting != kept.end()) {
      memory_ = std::move(fitting->memory);
      capacity_ = fitting->capacity;
      kept.erase(fitting);
    }
  }
  if (memory_) return;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(wanted);
  capacity_ = wanted;
}

Scratch::~Scratch() {
  const std::scoped_lock guard(pool().mutex);
  auto& kept = pool().kept;
  if (kept.size() < kKeptBuffers && capacity_ <= kKeptCapacity)
    kept.push_back({std::move(memory_), capacity_});
}

void Scratch::release_all() {
  const std::scoped_lock guard(pool().mutex);
  pool().kept.clear();
  pool().kept.shrink_to_fit();
}

}  // namespace tributary::execute
