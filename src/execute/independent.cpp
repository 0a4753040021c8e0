#include "execute/independent.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "execute/scratch.hpp"
#include "execute/windows.hpp"
#include "view/copy.hpp"
#include "view/count.hpp"
#include "view/cursor.hpp"
#include "view/pieces.hpp"

namespace tributary::execute {
namespace {

using plan::Strategy;
using storage::Moved;

constexpr std::size_t kPieces = 1024;  // as many as one system call takes
constexpr ByteCount kMapWindow = ByteCount{16} << 20;

// Data bytes [position, position + size) of the view, contiguous in memory at `data`.
struct Chunk {
  std::byte* data;
  ByteCount position;
  ByteCount size;
};

class Transfer {
 public:
  Transfer(storage::Storage& storage, const plan::IndependentPlan& plan, const Access& access)
      : storage_(storage), plan_(plan), access_(access), file_(*access.file.tree) {}

  Moved run() {
    const bool pieces = plan_.strategy == Strategy::list && !access_.memory.contiguous;
    return pieces ? run_pieces() : run_chunks();
  }

 private:
  bool reading() const { return access_.direction == Direction::read; }

  // --- memory side -------------------------------------------------------------------
  Moved run_chunks() {
    if (access_.memory.contiguous)
      return move_chunk({access_.memory.base, access_.file.position, access_.bytes});
    const ByteCount step = std::min(plan_.buffer_bytes, access_.bytes);
    const Scratch staging(step);
    view::Cursor memory(access_.memory.tree);
    Moved total;
    while (total.bytes < access_.bytes) {
      const ByteCount size = std::min(step, access_.bytes - total.bytes);
      const Moved moved =
          move_staged(memory, {staging.data(), access_.file.position + total.bytes, size});
      total.bytes += moved.bytes;
      if (!moved.status || moved.bytes < size) {
        total.status = moved.status;
        break;
      }
    }
    return total;
  }

  Moved move_staged(view::Cursor& memory, const Chunk& chunk) {
    if (!reading()) view::pack(chunk.data, {access_.memory.base}, memory, chunk.size);
    Moved moved = move_chunk(chunk);
    if (reading()) view::unpack({access_.memory.base}, memory, chunk.data, moved.bytes);
    return moved;
  }

  // --- file side ---------------------------------------------------------------------
  Moved move_chunk(const Chunk& chunk) {
    switch (plan_.strategy) {
      case Strategy::sieve:
        return move_windows(chunk, plan_.buffer_bytes, &Transfer::sieve_window);
      case Strategy::rmw:
        return move_windows(chunk, plan_.buffer_bytes, &Transfer::rewrite_window);
      case Strategy::mapped:
        return move_windows(chunk, kMapWindow, &Transfer::map_window);
      default:
        return move_runs(chunk);
    }
  }

  // One call for each run of the file.
  Moved move_runs(const Chunk& chunk) {
    file_.seek(chunk.position);
    Moved total;
    while (total.bytes < chunk.size) {
      view::Group group = file_.take(chunk.size - total.bytes);
      for (; group.count > 0; --group.count, group.offset += group.stride) {
        const Moved moved = storage::move_block(storage_, access_.direction, group.offset,
                                                chunk.data + total.bytes, group.length);
        total.bytes += moved.bytes;
        if (!moved.status || moved.bytes < group.length) {
          total.status = moved.status;
          return total;
        }
      }
    }
    return total;
  }

  using WindowMover = Moved (Transfer::*)(const Window&, const Chunk&);

  Moved move_windows(const Chunk& chunk, ByteCount window_bytes, WindowMover mover) {
    WindowCutter cutter(*access_.file.tree, window_bytes, plan_.gap_bytes);
    Moved total;
    while (total.bytes < chunk.size) {
      const ByteCount position = chunk.position + total.bytes;
      const Window window = cutter.next(position, chunk.size - total.bytes);
      const Chunk part{chunk.data + total.bytes, position, window.bytes};
      file_.seek(position);
      // A window without holes needs no help, but for the lock that a rewriter owes others.
      const bool whole = window.extent.length == window.bytes && plan_.strategy != Strategy::rmw;
      const Moved moved = whole ? move_runs(part) : (this->*mover)(window, part);
      total.bytes += moved.bytes;
      if (!moved.status || moved.bytes < window.bytes) {
        total.status = moved.status;
        break;
      }
    }
    return total;
  }

  // Wanted bytes of the window that lie in its first `length` bytes.
  ByteCount wanted_in(const Window& window, const Chunk& part, ByteCount length) const {
    if (length == window.extent.length) return window.bytes;
    return view::data_before(*access_.file.tree, window.extent.offset + length) - part.position;
  }

  Moved sieve_window(const Window& window, const Chunk& part) {
    const Scratch buffer(window.extent.length);
    Moved moved = storage::move_block(storage_, Direction::read, window.extent.offset,
                                      buffer.data(), window.extent.length);
    moved.bytes = wanted_in(window, part, moved.bytes);
    view::pack(part.data, {buffer.data(), window.extent.offset}, file_, moved.bytes);
    return moved;
  }

  Moved rewrite_window(const Window& window, const Chunk& part) {
    const Result<storage::RangeLock> lock =
        plan_.locking == plan::Locking::window_exclusive
            ? storage::RangeLock::acquire(storage_, window.extent, storage::LockMode::exclusive)
            : storage::RangeLock();
    if (!lock) return {0, lock.error()};
    const Scratch buffer(window.extent.length);
    const Moved old = storage::move_block(storage_, Direction::read, window.extent.offset,
                                          buffer.data(), window.extent.length);
    if (!old.status) return {0, old.status};
    std::memset(buffer.data() + old.bytes, 0,
                static_cast<std::size_t>(window.extent.length - old.bytes));
    view::unpack({buffer.data(), window.extent.offset}, file_, part.data, window.bytes);
    Moved moved = storage::move_block(storage_, Direction::write, window.extent.offset,
                                      buffer.data(), window.extent.length);
    moved.bytes = wanted_in(window, part, moved.bytes);
    return moved;
  }

  // Space is reserved before the first store: a full disk is an error here, never a signal.
  // A file system that cannot reserve, or not map, gets the runs one by one.
  Moved map_window(const Window& window, const Chunk& part) {
    const int reserved = storage::uninterrupted([&] { return storage_.reserve(window.extent); });
    if (reserved == -ENOSPC || reserved == -EDQUOT || reserved == -EFBIG || reserved == -EIO)
      return {0, storage::checked(reserved, "reserve space in", storage_)};
    if (reserved != 0) return move_runs(part);
    const Result<storage::Mapping> mapping = storage_.map(window.extent);
    if (!mapping) return move_runs(part);
    view::unpack({mapping->data(), window.extent.offset}, file_, part.data, window.bytes);
    return {window.bytes, {}};
  }

  // --- list: no staging, entries straight from the caller's memory -----------------------
  Moved run_pieces() {
    std::vector<view::Piece> pieces(kPieces);
    view::Cursor memory(access_.memory.tree);
    file_.seek(access_.file.position);
    Moved total;
    while (total.bytes < access_.bytes) {
      const std::size_t used =
          view::build_pieces(memory, file_, access_.bytes - total.bytes, pieces);
      const bool complete = move_pieces({pieces.data(), used}, total);
      if (!complete) break;
    }
    return total;
  }

  // Adds what was moved to `total`; false if that is not all.
  bool move_pieces(std::span<const view::Piece> pieces, Moved& total) {
    std::array<iovec, kPieces> list;
    for (std::size_t first = 0; first < pieces.size();) {
      std::size_t entries = 0;
      FileOffset end = pieces[first].offset;
      const FileOffset start = end;
      for (; first < pieces.size() && pieces[first].offset == end; ++first) {
        end += pieces[first].length;
        list[entries++] = {access_.memory.base + pieces[first].memory,
                           static_cast<std::size_t>(pieces[first].length)};
      }
      const Moved moved =
          storage::move_list(storage_, access_.direction, start, {list.data(), entries});
      total.bytes += moved.bytes;
      total.status = moved.status;
      if (!moved.status || moved.bytes < end - start) return false;
    }
    return true;
  }

  storage::Storage& storage_;
  const plan::IndependentPlan& plan_;
  const Access& access_;
  view::Cursor file_;
};

}  // namespace

storage::Moved run_independent(storage::Storage& storage, const plan::IndependentPlan& plan,
                               const Access& access) {
  if (plan.strategy == Strategy::direct)
    return storage::move_block(storage, access.direction, access.file.first, access.memory.base,
                               access.bytes);
  return Transfer(storage, plan, access).run();
}

}  // namespace tributary::execute
