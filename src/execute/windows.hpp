// Cuts an access into windows of the file that are worth handling whole.
#pragma once

#include "view/cursor.hpp"
#include "view/tree.hpp"

namespace tributary::execute {

struct Window {
  Extent extent;        // from the first to the last wanted byte
  ByteCount bytes = 0;  // wanted bytes in it
};

// The view must be ascending. Each window starts at the next wanted byte and is as long as
// possible: at most `window_bytes`, and with no more than `gap_bytes` of unwanted bytes
// for each run on average; a window no longer than gap_bytes is always taken whole.
class WindowCutter {
 public:
  WindowCutter(const view::Tree& tree, ByteCount window_bytes, ByteCount gap_bytes);
  Window next(ByteCount position, ByteCount bytes);

 private:
  FileOffset offset_of(ByteCount position);
  ByteCount bytes_until(FileOffset end, ByteCount position, ByteCount bytes) const;
  bool worth(ByteCount length, ByteCount wanted) const;

  const view::Tree& tree_;
  view::Cursor cursor_;
  ByteCount window_bytes_;
  ByteCount gap_bytes_;
  ByteCount mean_run_;
  ByteCount guess_;  // length to try first: twice the last one
};

}  // namespace tributary::execute
