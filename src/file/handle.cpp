#include "file/handle.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "file/file.hpp"

namespace tributary::file {
namespace {

constexpr std::uint64_t kMagic = std::uint64_t{0x7472} << 48;  // "tr"
constexpr std::uint64_t kFortranBits = 0x7fffffff;
constexpr std::uint32_t kGenerations = 0x7fff;
constexpr std::uint32_t kSlots = 0xffff;
constexpr std::uint32_t kChunk = 256;

struct Slot {
  std::atomic<std::uint32_t> generation{0};
  std::atomic<File*> file{nullptr};
};

// Chunks are made on need and stay, so that a look-up needs no lock.
class Table {
 public:
  // The Fortran form of the new handle, or 0.
  std::uint32_t insert(File* file) {
    const std::scoped_lock guard(mutex_);
    const std::uint32_t index = free_index();
    if (index >= kSlots) return 0;
    Slot& slot = slot_at(index);
    const std::uint32_t generation = (slot.generation.load() + 1) & kGenerations;
    slot.generation.store(generation);
    slot.file.store(file, std::memory_order_release);
    return (generation << 16) | (index + 1);
  }

  File* find(std::uint32_t fortran) const {
    const std::uint32_t index = (fortran & 0xffff) - 1;
    if (index >= kSlots) return nullptr;
    const Slot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    const Slot& slot = chunk[index % kChunk];
    return slot.generation.load() == fortran >> 16 ? slot.file.load(std::memory_order_acquire)
                                                   : nullptr;
  }

  File* remove(std::uint32_t fortran) {
    const std::scoped_lock guard(mutex_);
    File* file = find(fortran);
    if (file == nullptr) return nullptr;
    const std::uint32_t index = (fortran & 0xffff) - 1;
    slot_at(index).file.store(nullptr);
    free_.push_back(index);
    return file;
  }

  template <typename Visit>
  void clear(Visit visit) {
    const std::scoped_lock guard(mutex_);
    for (std::uint32_t index = 0; index < used_; ++index)
      if (File* file = slot_at(index).file.exchange(nullptr)) {
        free_.push_back(index);
        visit(file);
      }
  }

 private:
  Slot& slot_at(std::uint32_t index) {
    auto& chunk = chunks_[index / kChunk];
    if (chunk.load() == nullptr) chunk.store(new Slot[kChunk], std::memory_order_release);
    return chunk.load()[index % kChunk];
  }
  // The slot that has been free for longest, so that generations last.
  std::uint32_t free_index() {
    if (free_.size() < kChunk && used_ < kSlots) return used_++;
    if (free_.empty()) return kSlots;
    const std::uint32_t index = free_.front();
    free_.pop_front();
    return index;
  }

  std::mutex mutex_;
  std::array<std::atomic<Slot*>, kSlots / kChunk + 1> chunks_{};
  std::deque<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

Table& table() {
  static Table* const instance = new Table;  // never destroyed: used until the process ends
  return *instance;
}

std::uint32_t bits_of(MPI_File handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  return (bits & ~kFortranBits) == kMagic ? static_cast<std::uint32_t>(bits & kFortranBits) : 0;
}

}  // namespace

MPI_File register_file(std::unique_ptr<File> file) {
  const std::uint32_t bits = table().insert(file.get());
  if (bits == 0) return MPI_FILE_NULL;
  static_cast<void>(file.release());
  return from_fortran(static_cast<MPI_Fint>(bits));
}

File* find_file(MPI_File handle) {
  const std::uint32_t bits = bits_of(handle);
  return bits == 0 ? nullptr : table().find(bits);
}

std::unique_ptr<File> unregister_file(MPI_File handle) {
  return std::unique_ptr<File>(table().remove(bits_of(handle)));
}

MPI_Fint to_fortran(MPI_File handle) {
  return static_cast<MPI_Fint>(bits_of(handle));
}

MPI_File from_fortran(MPI_Fint handle) {
  if (handle <= 0) return MPI_FILE_NULL;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): see handle.hpp
  return reinterpret_cast<MPI_File>(kMagic | static_cast<std::uint32_t>(handle));
}

void drop_open_files() {
  table().clear([](File* file) { delete file; });
}

}  // namespace tributary::file
