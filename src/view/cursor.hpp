// Walks a tree in data order, from any data byte.
//
// seek() goes down the tree once: O(depth x log entries), no list is made. take() hands out
// groups, not single runs: a group is `count` equal blocks at a constant stride, so the
// pack kernels (copy.hpp) see a whole vector at once and the walk costs nothing per element.
// Cursors are independent of each other: several threads may each seek to a cycle of their
// own (dissertation 4.1.2 needs a serial pre-calculation for that; this does not).
#pragma once

#include <vector>

#include "view/tree.hpp"

namespace tributary::view {

// `count` blocks of `length` bytes; the first at `offset`, the others `stride` bytes apart.
struct Group {
  std::int64_t offset = 0;
  ByteCount length = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;

  ByteCount size() const { return length * count; }
};

class Cursor {
 public:
  explicit Cursor(Tree tree, ByteCount position = 0);

  void seek(ByteCount position);
  ByteCount position() const { return position_; }
  ByteCount remaining() const { return tree_.size() - position_; }
  // Displacement of the current data byte; there must be one (remaining() > 0).
  std::int64_t offset() const;

  // The group that starts here, of at most `limit` bytes (limit > 0, remaining() > 0).
  // Moves behind it.
  Group take(ByteCount limit);

 private:
  struct Frame {
    const Node* node;
    std::int64_t index;
    std::int64_t base;
  };

  void descend(const Node* node, std::int64_t base, ByteCount position);
  void enter_first_leaf(const Node* node, std::int64_t base);
  void next_leaf();
  Group take_from_strided(ByteCount limit);
  Group take_from_run(std::int64_t offset, ByteCount length, ByteCount limit);

  Tree tree_;
  ByteCount position_ = 0;
  std::vector<Frame> path_;     // inner nodes from the root to the leaf's parent
  const Node* leaf_ = nullptr;  // null when the end is reached
  std::int64_t leaf_base_ = 0;
  std::int64_t index_ = 0;  // current block of the leaf
  ByteCount within_ = 0;    // bytes of that block already passed
};

}  // namespace tributary::view
