// The canonical form of a datatype: a small tree of blocks, strides and index lists.
//
//   block    size bytes in one run                       |####|
//   strided  count copies of one child, stride apart     |##..##..##..|
//   indexed  children (or plain runs) at displacements   |#..###....#|
//
// Regular types stay tiny whatever the number of their fragments: a subarray of a 10^12
// byte array is two or three strided nodes. Nothing is ever flattened whole.
//
// A node's origin is its own first data byte, so the place of a node is kept outside it
// (Tree::at). That makes equal shapes equal nodes and lets nested strides collapse.
//
// Made by mpi/decode.cpp with the builders of build.hpp; read by Cursor and by count.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"

namespace tributary::view {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind : std::uint8_t { block, strided, indexed };

  Kind kind = Kind::block;
  // Each data byte lies behind the one before it: no overlap, no step back.
  bool ascending = true;
  // Runs start at or behind the start of the run before them; they may overlap.
  bool nondecreasing = true;
  int depth = 0;  // nodes between this one and its leaves
  ByteCount size = 0;
  std::int64_t lower = 0;  // all data lies in [lower, upper), relative to the first byte
  std::int64_t upper = 0;
  std::int64_t last_start = 0;  // where the last run starts
  std::int64_t runs = 1;        // contiguous runs; an upper bound, neighbours may touch

  // strided
  std::int64_t count = 0;
  std::int64_t stride = 0;
  NodePtr child;

  // indexed: entry i lies at displacements[i] and holds data bytes [starts[i], starts[i + 1]);
  // without `starts` every entry holds `unit` bytes. No children: the entries are plain runs.
  // One child: all entries have that shape. Otherwise one child for each entry.
  std::vector<std::int64_t> displacements;
  std::vector<ByteCount> starts;
  ByteCount unit = 0;
  std::vector<NodePtr> children;

  std::int64_t span() const { return upper - lower; }
  // A leaf yields runs without going down: the cursor's inner loop.
  bool is_leaf() const {
    return kind == Kind::block || (kind == Kind::strided && child->kind == Kind::block) ||
           (kind == Kind::indexed && children.empty());
  }
  std::int64_t entries() const {
    return kind == Kind::strided ? count : static_cast<std::int64_t>(displacements.size());
  }
  const Node& entry(std::int64_t index) const {
    if (kind == Kind::strided) return *child;
    return children.size() == 1 ? *children[0] : *children[static_cast<std::size_t>(index)];
  }
  std::int64_t displacement(std::int64_t index) const {
    return kind == Kind::strided ? index * stride : displacements[static_cast<std::size_t>(index)];
  }
  ByteCount start(std::int64_t index) const {
    if (kind == Kind::strided) return index * child->size;
    return starts.empty() ? index * unit : starts[static_cast<std::size_t>(index)];
  }
  // The entry that holds data byte `position`, 0 <= position < size.
  std::int64_t entry_at(ByteCount position) const;
};

// A node and the displacement of its first data byte. No node: no data.
struct Tree {
  NodePtr node;
  std::int64_t at = 0;

  bool empty() const { return node == nullptr; }
  ByteCount size() const { return node ? node->size : 0; }
  bool is_block() const { return node && node->kind == Node::Kind::block; }
  std::int64_t lower() const { return node ? at + node->lower : 0; }
  std::int64_t upper() const { return node ? at + node->upper : 0; }
  // Mean length of a run; what strategies are chosen by.
  ByteCount mean_run() const {
    return node ? (node->size > node->runs ? node->size / node->runs : 1) : 0;
  }
  Tree moved(std::int64_t by) const { return {node, at + by}; }
};

// A datatype: its data, and the extent at which copies of it follow one another.
struct Type {
  Tree tree;
  std::int64_t lower_bound = 0;
  std::int64_t extent = 0;

  ByteCount size() const { return tree.size(); }
};

}  // namespace tributary::view
