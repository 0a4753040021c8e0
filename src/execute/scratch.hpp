// Staging memory, borrowed for a call and kept for the next: a fresh buffer of a megabyte
// costs more in page faults than the copy through it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/types.hpp"

namespace tributary::execute {

class Scratch {
 public:
  explicit Scratch(ByteCount size);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::byte* data() const { return memory_.get(); }

  // Frees what is kept; called when the MPI ends.
  static void release_all();

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace tributary::execute
