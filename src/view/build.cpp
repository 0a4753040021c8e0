#include "view/build.hpp"

#include <algorithm>
#include <utility>

namespace tributary::view {
namespace {

using Kind = Node::Kind;

// True where displacements[i] == displacements[0] + i * stride for one stride.
bool constant_stride(std::span<const std::int64_t> displacements) {
  const std::int64_t stride = displacements[1] - displacements[0];
  for (std::size_t i = 2; i < displacements.size(); ++i)
    if (displacements[i] - displacements[i - 1] != stride) return false;
  return true;
}

bool equal_lengths(std::span<const ByteCount> starts) {
  const ByteCount unit = starts[1] - starts[0];
  for (std::size_t i = 2; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] != unit) return false;
  return true;
}

// What an indexed node knows of its entry i, whether it is a plain run or a child.
struct EntryShape {
  std::int64_t lower, upper, last_start, runs;
  bool ascending, nondecreasing;
  int depth;
};

EntryShape entry_shape(const Node& node, std::int64_t index) {
  if (node.children.empty())
    return {0, node.start(index + 1) - node.start(index), 0, 1, true, true, -1};
  const Node& child = node.entry(index);
  return {child.lower,     child.upper,         child.last_start, child.runs,
          child.ascending, child.nondecreasing, child.depth};
}

// Fills in what follows from the entries of an indexed node whose lists are in place.
void summarise_indexed(Node& node) {
  const std::int64_t base = node.displacements[0];
  for (std::int64_t& displacement : node.displacements) displacement -= base;
  node.runs = 0;
  std::int64_t previous_upper = 0;
  std::int64_t previous_start = 0;
  for (std::int64_t i = 0; i < node.entries(); ++i) {
    const EntryShape shape = entry_shape(node, i);
    const std::int64_t at = node.displacement(i);
    const std::int64_t lower = at + shape.lower;
    const std::int64_t upper = at + shape.upper;
    node.ascending = node.ascending && shape.ascending && (i == 0 || lower >= previous_upper);
    node.nondecreasing = node.nondecreasing && shape.nondecreasing && at >= previous_start;
    node.lower = i == 0 ? lower : std::min(node.lower, lower);
    node.upper = i == 0 ? upper : std::max(node.upper, upper);
    node.last_start = at + shape.last_start;
    node.runs += shape.runs;
    node.depth = std::max(node.depth, shape.depth + 1);
    previous_upper = upper;
    previous_start = node.last_start;
  }
}

// Entries with children; displacements are absolute, the lists are not empty.
Tree finish_indexed(Node node) {
  const std::int64_t at = node.displacements[0];
  summarise_indexed(node);
  return {std::make_shared<const Node>(std::move(node)), at};
}

bool all_blocks(std::span<const Tree> parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Tree& part) { return part.is_block(); });
}

bool same_child(std::span<const Tree> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Tree& part) { return part.node == parts[0].node; });
}

Tree sequence_of_runs(std::span<const Tree> parts) {
  RunList runs;
  runs.reserve(parts.size());
  for (const Tree& part : parts) runs.add(part.at, part.size());
  return std::move(runs).finish();
}

Tree sequence_of_trees(std::span<const Tree> parts) {
  Node node;
  node.kind = Kind::indexed;
  node.displacements.reserve(parts.size());
  for (const Tree& part : parts) node.displacements.push_back(part.at);
  if (same_child(parts)) {
    if (constant_stride(node.displacements))
      return make_strided(static_cast<std::int64_t>(parts.size()),
                          node.displacements[1] - node.displacements[0], parts[0]);
    node.children = {parts[0].node};
    node.unit = parts[0].size();
    node.size = node.unit * static_cast<std::int64_t>(parts.size());
  } else {
    node.starts.reserve(parts.size() + 1);
    node.starts.push_back(0);
    for (const Tree& part : parts) {
      node.children.push_back(part.node);
      node.starts.push_back(node.starts.back() + part.size());
    }
    node.size = node.starts.back();
  }
  return finish_indexed(std::move(node));
}

}  // namespace

std::int64_t Node::entry_at(ByteCount position) const {
  if (kind == Kind::strided) return position / child->size;
  if (starts.empty()) return position / unit;
  return std::upper_bound(starts.begin(), starts.end(), position) - starts.begin() - 1;
}

Tree make_block(ByteCount size, std::int64_t at) {
  if (size == 0) return {};
  Node node;
  node.size = size;
  node.upper = size;
  return {std::make_shared<const Node>(std::move(node)), at};
}

Tree make_strided(std::int64_t count, std::int64_t stride, const Tree& child) {
  if (count <= 0 || child.empty()) return {};
  if (count == 1) return child;
  const Node& inner = *child.node;
  if (inner.kind == Kind::block && inner.size == stride)
    return make_block(count * stride, child.at);
  if (inner.kind == Kind::strided && inner.count * inner.stride == stride)
    return make_strided(count * inner.count, inner.stride, {inner.child, child.at});

  const std::int64_t reach = (count - 1) * stride;
  Node node;
  node.kind = Kind::strided;
  node.count = count;
  node.stride = stride;
  node.child = child.node;
  node.size = count * inner.size;
  node.lower = inner.lower + std::min<std::int64_t>(reach, 0);
  node.upper = inner.upper + std::max<std::int64_t>(reach, 0);
  node.last_start = reach + inner.last_start;
  node.runs = count * inner.runs;
  node.ascending = inner.ascending && stride >= inner.span();
  node.nondecreasing = inner.nondecreasing && stride >= inner.last_start;
  node.depth = inner.depth + 1;
  return {std::make_shared<const Node>(std::move(node)), child.at};
}

Tree make_sequence(std::span<const Tree> parts) {
  std::vector<Tree> filled;
  filled.reserve(parts.size());
  for (const Tree& part : parts)
    if (!part.empty()) filled.push_back(part);
  if (filled.empty()) return {};
  if (filled.size() == 1) return filled[0];
  return all_blocks(filled) ? sequence_of_runs(filled) : sequence_of_trees(filled);
}

Tree make_repeated(const Type& type, std::int64_t count) {
  return make_strided(count, type.extent, type.tree);
}

void RunList::reserve(std::size_t runs) {
  displacements_.reserve(runs);
  starts_.reserve(runs + 1);
}

void RunList::add(std::int64_t displacement, ByteCount length) {
  if (length == 0) return;
  if (!displacements_.empty()) {
    const ByteCount previous = starts_.back() - starts_[starts_.size() - 2];
    if (displacements_.back() + previous == displacement) {
      starts_.back() += length;
      return;
    }
  }
  displacements_.push_back(displacement);
  starts_.push_back(starts_.back() + length);
}

Tree RunList::finish() && {
  if (displacements_.empty()) return {};
  const bool equal = equal_lengths(starts_);
  const ByteCount unit = starts_[1];
  if (displacements_.size() == 1) return make_block(unit, displacements_[0]);
  if (equal && constant_stride(displacements_))
    return make_strided(static_cast<std::int64_t>(displacements_.size()),
                        displacements_[1] - displacements_[0], make_block(unit, displacements_[0]));
  Node node;
  node.kind = Kind::indexed;
  node.size = starts_.back();
  node.displacements = std::move(displacements_);
  if (equal)
    node.unit = unit;
  else
    node.starts = std::move(starts_);
  return finish_indexed(std::move(node));
}

}  // namespace tributary::view
