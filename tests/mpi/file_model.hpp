// What a file must contain, byte by byte, and where a view puts data in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "type_model.hpp"

namespace tributary::test {

// A file view. Positions in it are counted in data bytes ("view bytes"), not in etypes.
class ViewModel {
 public:
  ViewModel() = default;
  ViewModel(std::int64_t displacement, const TypeModel& filetype);

  // Calls piece(file offset, length) for the view bytes [from, from + length), in order.
  template <typename Piece>
  void for_pieces(std::int64_t from, std::int64_t length, Piece piece) const;

  std::int64_t file_offset(std::int64_t view_byte) const;
  // How many view bytes lie below a file offset.
  std::int64_t bytes_below(std::int64_t file_end) const;
  bool empty() const { return tile_bytes_ == 0; }

 private:
  std::size_t run_at(std::int64_t byte_in_tile) const;

  std::int64_t displacement_ = 0;
  std::int64_t extent_ = 1;
  std::int64_t tile_bytes_ = 0;
  std::int64_t true_ub_ = 0;
  std::vector<Run> runs_;
  std::vector<std::int64_t> starts_;  // view bytes of the tile before each run
};

template <typename Piece>
void ViewModel::for_pieces(std::int64_t from, std::int64_t length, Piece piece) const {
  if (length <= 0) return;
  std::int64_t tile = from / tile_bytes_;
  std::int64_t in_tile = from % tile_bytes_;
  std::size_t run = run_at(in_tile);
  while (length > 0) {
    const std::int64_t skip = in_tile - starts_[run];
    const std::int64_t here = std::min(length, runs_[run].length - skip);
    piece(displacement_ + tile * extent_ + runs_[run].offset + skip, here);
    length -= here;
    in_tile += here;
    if (++run == runs_.size()) {
      run = 0;
      in_tile = 0;
      ++tile;
    }
  }
}

// The bytes of a file from `origin` on; everything before is a hole. `base` is what all ranks know,
// `mine` has this rank's later writes too. As ranks write disjoint bytes, the exclusive or of all
// differences is the file that must be there.
class FileModel {
 public:
  explicit FileModel(std::int64_t origin) : origin_(origin) {}

  void write(std::int64_t offset, std::span<const std::uint8_t> bytes);
  void read(std::int64_t offset, std::span<std::uint8_t> bytes) const;
  // Sets the size of the file on all ranks alike.
  void resize(std::int64_t size);
  // Bytes that every rank knows of: what one rank writes for all.
  void write_common(std::int64_t offset, std::span<const std::uint8_t> bytes);

  std::int64_t origin() const { return origin_; }
  std::int64_t size() const { return size_; }
  std::vector<std::uint8_t> changes() const;
  void merge(std::span<const std::uint8_t> all_changes);
  std::span<const std::uint8_t> bytes() const { return mine_; }

 private:
  void grow(std::int64_t size);

  std::int64_t origin_;
  std::int64_t size_ = 0;
  std::vector<std::uint8_t> base_;
  std::vector<std::uint8_t> mine_;
};

}  // namespace tributary::test
