#include "view/pieces.hpp"

#include <algorithm>

namespace tributary::view {

RunCursor::Run RunCursor::front(ByteCount limit) {
  if (pending_ == 0) {
    group_ = cursor_.take(limit);
    within_ = 0;
    pending_ = group_.size();
  }
  return {group_.offset + within_, group_.length - within_};
}

void RunCursor::consume(ByteCount length) {
  within_ += length;
  pending_ -= length;
  if (within_ == group_.length) {
    within_ = 0;
    group_.offset += group_.stride;
  }
}

std::size_t build_pieces(Cursor& memory, Cursor& file, ByteCount size, std::span<Piece> pieces) {
  const ByteCount memory_start = memory.position();
  const ByteCount file_start = file.position();
  RunCursor memory_runs(memory);
  RunCursor file_runs(file);
  ByteCount done = 0;
  std::size_t used = 0;
  while (done < size && used < pieces.size()) {
    const RunCursor::Run from = memory_runs.front(size - done);
    const RunCursor::Run to = file_runs.front(size - done);
    const ByteCount length = std::min(from.length, to.length);
    pieces[used++] = {from.offset, to.offset, length};
    memory_runs.consume(length);
    file_runs.consume(length);
    done += length;
  }
  if (memory_runs.pending() > 0) memory.seek(memory_start + done);
  if (file_runs.pending() > 0) file.seek(file_start + done);
  return used;
}

}  // namespace tributary::view
