// Geometry of a shuffle: which bytes of a rank's data lie in a cycle of an aggregator, and where
// in the aggregator's sub-buffer. Rank and aggregator compute it alike, each from the rank's tree,
// so no list of pieces travels.
//
//   sub-buffer   |extent 0      |extent 1   |         extents of the cycle, one after the other
//   slice        a rank's data that lies in one extent: consecutive data bytes of its view
#pragma once

#include <vector>

#include "execute/independent.hpp"
#include "plan/collective.hpp"
#include "view/cursor.hpp"

namespace tributary::execute {

// What one rank wants: data bytes [position, position + bytes) of an ascending view.
struct RankPart {
  view::Tree tree;
  ByteCount position = 0;
  ByteCount bytes = 0;
  Extent span;
};

// The bytes of a cycle, and where each extent lies in the sub-buffer.
struct Placement {
  std::vector<Extent> extents;  // by offset
  std::vector<ByteCount> bases;
  ByteCount bytes = 0;

  explicit Placement(std::vector<Extent> by_offset);
};

struct Slice {
  ByteCount position = 0;  // first data byte, in the view
  ByteCount bytes = 0;
  FileOffset origin = 0;  // this offset of the file ...
  ByteCount base = 0;     // ... lies here in the sub-buffer
};

struct Share {
  std::vector<Slice> slices;
  ByteCount bytes = 0;

  bool empty() const { return bytes == 0; }
};

Share share_of(const RankPart& part, const Placement& placement);

// A rank's data in its own memory, addressed by positions in its view.
class UserData {
 public:
  UserData(const Memory& memory, ByteCount position);

  // The place of consecutive data bytes, where memory is one run; else null.
  std::byte* run_at(ByteCount position) const;
  void pack(std::byte* to, ByteCount position, ByteCount bytes);
  void unpack(ByteCount position, const std::byte* from, ByteCount bytes);

 private:
  const Memory& memory_;
  ByteCount position_;
  view::Cursor cursor_;
};

// Moves data between layouts. `write` is towards the sub-buffer, `read` away from it.

// A share, contiguous in `packed`, to or from its places in the sub-buffer.
void move_packed(Direction direction, std::byte* sub_buffer, const Share& share, view::Cursor& file,
                 std::byte* packed);
// A share in the rank's own memory to or from contiguous `packed`.
void move_user(Direction direction, UserData& data, const Share& share, std::byte* packed);
// A share in the rank's own memory straight to or from the sub-buffer.
void move_direct(Direction direction, std::byte* sub_buffer, const Share& share, view::Cursor& file,
                 UserData& data);
// Where the share lies in the sub-buffer, if it is one run there; else null.
std::byte* run_in(std::byte* sub_buffer, const Share& share, view::Cursor& file);

}  // namespace tributary::execute
