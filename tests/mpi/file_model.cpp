#include "file_model.hpp"

namespace tributary::test {

ViewModel::ViewModel(std::int64_t displacement, const TypeModel& filetype)
    : displacement_(displacement),
      extent_(filetype.extent()),
      tile_bytes_(filetype.size),
      true_ub_(filetype.true_ub()),
      runs_(filetype.runs) {
  std::int64_t before = 0;
  for (const Run& run : runs_) {
    starts_.push_back(before);
    before += run.length;
  }
}

std::size_t ViewModel::run_at(std::int64_t byte_in_tile) const {
  const auto after = std::ranges::upper_bound(starts_, byte_in_tile);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::int64_t ViewModel::file_offset(std::int64_t view_byte) const {
  const std::int64_t in_tile = view_byte % tile_bytes_;
  const std::size_t run = run_at(in_tile);
  return displacement_ + view_byte / tile_bytes_ * extent_ + runs_[run].offset + in_tile -
         starts_[run];
}

std::int64_t ViewModel::bytes_below(std::int64_t file_end) const {
  const std::int64_t end = file_end - displacement_;
  if (end <= 0 || empty()) return 0;
  const std::int64_t whole = end < true_ub_ ? 0 : (end - true_ub_) / extent_ + 1;
  std::int64_t bytes = whole * tile_bytes_;
  for (const Run& run : runs_) {
    bytes += std::clamp<std::int64_t>(end - whole * extent_ - run.offset, 0, run.length);
  }
  return bytes;
}

void FileModel::grow(std::int64_t size) {
  size_ = std::max(size_, size);
  const auto stored = static_cast<std::size_t>(std::max<std::int64_t>(size_ - origin_, 0));
  base_.resize(stored);
  mine_.resize(stored);
}

void FileModel::resize(std::int64_t size) {
  size_ = std::min(size_, size);
  grow(size);
}

void FileModel::write(std::int64_t offset, std::span<const std::uint8_t> bytes) {
  grow(offset + static_cast<std::int64_t>(bytes.size()));
  std::ranges::copy(bytes, mine_.begin() + (offset - origin_));
}

void FileModel::write_common(std::int64_t offset, std::span<const std::uint8_t> bytes) {
  write(offset, bytes);
  std::ranges::copy(bytes, base_.begin() + (offset - origin_));
}

void FileModel::read(std::int64_t offset, std::span<std::uint8_t> bytes) const {
  std::copy_n(mine_.begin() + (offset - origin_), bytes.size(), bytes.begin());
}

std::vector<std::uint8_t> FileModel::changes() const {
  std::vector<std::uint8_t> changes(mine_.size());
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] = mine_[i] ^ base_[i];
  return changes;
}

void FileModel::merge(std::span<const std::uint8_t> all_changes) {
  for (std::size_t i = 0; i < base_.size(); ++i) base_[i] ^= all_changes[i];
  mine_ = base_;
}

}  // namespace tributary::test
