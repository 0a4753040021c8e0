// The build step of individual I/O: memory view x file view -> (address, offset, length).
// Paper: dissertation 2.3 and 4.1.1. N memory runs against M file runs give at most
// N + M - 1 pieces; the caller allocates the list once and it never grows.
#pragma once

#include <span>

#include "view/cursor.hpp"

namespace tributary::view {

struct Piece {
  std::int64_t memory = 0;  // displacement in the buffer
  FileOffset offset = 0;
  ByteCount length = 0;
};

// Hands out single runs from a cursor's groups.
class RunCursor {
 public:
  explicit RunCursor(Cursor& cursor) : cursor_(cursor) {}

  struct Run {
    std::int64_t offset;
    ByteCount length;
  };
  // The run at the front, as far as it is not consumed; `limit` bounds what is looked ahead.
  Run front(ByteCount limit);
  void consume(ByteCount length);
  // Bytes taken from the cursor but not consumed.
  ByteCount pending() const { return pending_; }

 private:
  Cursor& cursor_;
  Group group_{0, 0, 0, 0};
  ByteCount within_ = 0;  // consumed bytes of the group's first block
  ByteCount pending_ = 0;
};

// Matches the next `size` data bytes of both cursors; stops early when `pieces` is full.
// Moves both cursors behind the last piece. Returns the number of pieces filled in.
std::size_t build_pieces(Cursor& memory, Cursor& file, ByteCount size, std::span<Piece> pieces);

}  // namespace tributary::view
