// Carries out one rank's own access by the strategy of its plan: the file side of every
// blocking call that is not done by aggregators. Reading and writing are one text.
#pragma once

#include "plan/independent.hpp"
#include "storage/transfer.hpp"
#include "view/file_view.hpp"
#include "view/tree.hpp"

namespace tributary::execute {

// The memory side: one run at `base`, or data displacements of `tree` that count from there.
struct Memory {
  std::byte* base = nullptr;
  bool contiguous = true;
  view::Tree tree;
};

// The file side: `bytes` data bytes of the view from `position` on.
struct FilePart {
  const view::Tree* tree = nullptr;
  ByteCount position = 0;
  FileOffset first = 0;  // where the first byte lies
};

struct Access {
  Direction direction = Direction::read;
  ByteCount bytes = 0;
  Memory memory;
  FilePart file;
};

// Moves the access's bytes; returns how many, counted from its start, and what went wrong.
storage::Moved run_independent(storage::Storage& storage, const plan::IndependentPlan& plan,
                               const Access& access);

}  // namespace tributary::execute
