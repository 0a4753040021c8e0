#include "execute/shares.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "view/copy.hpp"
#include "view/count.hpp"

namespace tributary::execute {
namespace {

constexpr ByteCount kStaging = 32 << 10;  // stays in a core's cache

FileOffset offset_at(view::Cursor& file, ByteCount position) {
  file.seek(position);
  return file.offset();
}

bool one_run(view::Cursor& file, const Slice& slice) {
  const FileOffset last = offset_at(file, slice.position + slice.bytes - 1);
  return last + 1 - offset_at(file, slice.position) == slice.bytes;
}

// The slice's bytes, contiguous at `packed`, to or from the sub-buffer. The cursor is at them.
void place(Direction direction, std::byte* sub_buffer, const Slice& slice, view::Cursor& file,
           std::byte* packed, ByteCount bytes) {
  std::byte* const extent = sub_buffer + slice.base;
  if (direction == Direction::write)
    view::unpack({extent, slice.origin}, file, packed, bytes);
  else
    view::pack(packed, {extent, slice.origin}, file, bytes);
}

void move_staged(Direction direction, std::byte* sub_buffer, const Slice& slice, view::Cursor& file,
                 UserData& data) {
  std::array<std::byte, kStaging> staging;
  for (ByteCount done = 0; done < slice.bytes;) {
    const ByteCount bytes = std::min(kStaging, slice.bytes - done);
    const ByteCount position = slice.position + done;
    if (direction == Direction::write) data.pack(staging.data(), position, bytes);
    place(direction, sub_buffer, slice, file, staging.data(), bytes);
    if (direction == Direction::read) data.unpack(position, staging.data(), bytes);
    done += bytes;
  }
}

}  // namespace

Placement::Placement(std::vector<Extent> by_offset) : extents(std::move(by_offset)) {
  bases.reserve(extents.size());
  for (const Extent& extent : extents) {
    bases.push_back(bytes);
    bytes += extent.length;
  }
}

Share share_of(const RankPart& part, const Placement& placement) {
  Share share;
  if (part.bytes == 0 || placement.extents.empty()) return share;
  const auto behind = std::ranges::partition_point(
      placement.extents, [&](const Extent& one) { return one.end() <= part.span.offset; });
  for (auto i = static_cast<std::size_t>(behind - placement.extents.begin());
       i < placement.extents.size() && placement.extents[i].offset < part.span.end(); ++i) {
    const Extent& extent = placement.extents[i];
    const ByteCount end = part.position + part.bytes;
    const ByteCount from =
        std::clamp(view::data_before(part.tree, extent.offset), part.position, end);
    const ByteCount to = std::clamp(view::data_before(part.tree, extent.end()), from, end);
    if (from == to) continue;
    share.slices.push_back({from, to - from, extent.offset, placement.bases[i]});
    share.bytes += to - from;
  }
  return share;
}

UserData::UserData(const Memory& memory, ByteCount position)
    : memory_(memory), position_(position), cursor_(memory.tree) {}

std::byte* UserData::run_at(ByteCount position) const {
  return memory_.contiguous ? memory_.base + (position - position_) : nullptr;
}

void UserData::pack(std::byte* to, ByteCount position, ByteCount bytes) {
  if (const std::byte* const run = run_at(position)) {
    std::copy_n(run, bytes, to);
    return;
  }
  cursor_.seek(position - position_);
  view::pack(to, {memory_.base}, cursor_, bytes);
}

void UserData::unpack(ByteCount position, const std::byte* from, ByteCount bytes) {
  if (std::byte* const run = run_at(position)) {
    std::copy_n(from, bytes, run);
    return;
  }
  cursor_.seek(position - position_);
  view::unpack({memory_.base}, cursor_, from, bytes);
}

void move_packed(Direction direction, std::byte* sub_buffer, const Share& share, view::Cursor& file,
                 std::byte* packed) {
  for (const Slice& slice : share.slices) {
    file.seek(slice.position);
    place(direction, sub_buffer, slice, file, packed, slice.bytes);
    packed += slice.bytes;
  }
}

void move_user(Direction direction, UserData& data, const Share& share, std::byte* packed) {
  for (const Slice& slice : share.slices) {
    if (direction == Direction::write)
      data.pack(packed, slice.position, slice.bytes);
    else
      data.unpack(slice.position, packed, slice.bytes);
    packed += slice.bytes;
  }
}

void move_direct(Direction direction, std::byte* sub_buffer, const Share& share, view::Cursor& file,
                 UserData& data) {
  for (const Slice& slice : share.slices) {
    std::byte* const run = data.run_at(slice.position);
    if (run == nullptr && one_run(file, slice)) {
      std::byte* const there = sub_buffer + slice.base + (file.offset() - slice.origin);
      if (direction == Direction::write)
        data.pack(there, slice.position, slice.bytes);
      else
        data.unpack(slice.position, there, slice.bytes);
      continue;
    }
    file.seek(slice.position);
    if (run != nullptr)
      place(direction, sub_buffer, slice, file, run, slice.bytes);
    else
      move_staged(direction, sub_buffer, slice, file, data);
  }
}

std::byte* run_in(std::byte* sub_buffer, const Share& share, view::Cursor& file) {
  if (share.slices.size() != 1 || !one_run(file, share.slices[0])) return nullptr;
  const Slice& slice = share.slices[0];
  return sub_buffer + slice.base + (file.offset() - slice.origin);
}

}  // namespace tributary::execute
