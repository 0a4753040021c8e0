#include "view/count.hpp"

#include <algorithm>

namespace tributary::view {
namespace {

ByteCount before(const Node& node, std::int64_t limit);

ByteCount before_entry(const Node& node, std::int64_t index, std::int64_t limit) {
  const std::int64_t local = limit - node.displacement(index);
  if (node.kind == Node::Kind::indexed && node.children.empty())
    return std::clamp<std::int64_t>(local, 0, node.start(index + 1) - node.start(index));
  return before(node.entry(index), local);
}

ByteCount before_all_entries(const Node& node, std::int64_t limit) {
  ByteCount total = 0;
  for (std::int64_t i = 0; i < node.entries(); ++i) total += before_entry(node, i, limit);
  return total;
}

// Copies i with i * stride + child.upper <= limit lie wholly before it, those with
// i * stride + child.lower >= limit wholly behind; only the ones between are visited.
ByteCount before_strided(const Node& node, std::int64_t limit) {
  if (node.stride <= 0) return before_all_entries(node, limit);
  const Node& child = *node.child;
  const auto copies_until = [&](std::int64_t room) {
    return room < 0 ? 0 : std::min(node.count, room / node.stride + 1);
  };
  const std::int64_t whole = copies_until(limit - child.upper);
  const std::int64_t touched = copies_until(limit - child.lower - 1);
  ByteCount total = whole * child.size;
  for (std::int64_t i = whole; i < touched; ++i) total += before_entry(node, i, limit);
  return total;
}

ByteCount before_indexed(const Node& node, std::int64_t limit) {
  if (!node.ascending) return before_all_entries(node, limit);
  const auto behind = std::lower_bound(node.displacements.begin(), node.displacements.end(), limit);
  const std::int64_t touched = behind - node.displacements.begin();
  return touched == 0 ? 0 : node.start(touched - 1) + before_entry(node, touched - 1, limit);
}

ByteCount before(const Node& node, std::int64_t limit) {
  if (limit <= node.lower) return 0;
  if (limit >= node.upper) return node.size;
  switch (node.kind) {
    case Node::Kind::block:
      return limit;
    case Node::Kind::strided:
      return before_strided(node, limit);
    case Node::Kind::indexed:
      return before_indexed(node, limit);
  }
  return 0;
}

}  // namespace

ByteCount data_before(const Tree& tree, std::int64_t limit) {
  return tree.empty() ? 0 : before(*tree.node, limit - tree.at);
}

}  // namespace tributary::view
