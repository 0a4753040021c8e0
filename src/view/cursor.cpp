#include "view/cursor.hpp"

#include <algorithm>
#include <utility>

namespace tributary::view {

Cursor::Cursor(Tree tree, ByteCount position) : tree_(std::move(tree)) {
  if (tree_.empty()) return;
  path_.reserve(static_cast<std::size_t>(tree_.node->depth) + 1);
  seek(position);
}

void Cursor::seek(ByteCount position) {
  position_ = std::min(position, tree_.size());
  path_.clear();
  leaf_ = nullptr;
  if (remaining() > 0) descend(tree_.node.get(), tree_.at, position_);
}

std::int64_t Cursor::offset() const {
  if (leaf_->kind == Node::Kind::block) return leaf_base_ + within_;
  return leaf_base_ + leaf_->displacement(index_) + within_;
}

void Cursor::descend(const Node* node, std::int64_t base, ByteCount position) {
  while (!node->is_leaf()) {
    const std::int64_t index = node->entry_at(position);
    path_.push_back({node, index, base});
    position -= node->start(index);
    base += node->displacement(index);
    node = &node->entry(index);
  }
  leaf_ = node;
  leaf_base_ = base;
  index_ = node->kind == Node::Kind::block ? 0 : node->entry_at(position);
  within_ = node->kind == Node::Kind::block ? position : position - node->start(index_);
}

void Cursor::enter_first_leaf(const Node* node, std::int64_t base) {
  while (!node->is_leaf()) {
    path_.push_back({node, 0, base});
    base += node->displacement(0);
    node = &node->entry(0);
  }
  leaf_ = node;
  leaf_base_ = base;
  index_ = 0;
  within_ = 0;
}

void Cursor::next_leaf() {
  leaf_ = nullptr;
  while (!path_.empty()) {
    Frame& frame = path_.back();
    if (++frame.index < frame.node->entries()) {
      enter_first_leaf(&frame.node->entry(frame.index),
                       frame.base + frame.node->displacement(frame.index));
      return;
    }
    path_.pop_back();
  }
}

Group Cursor::take_from_run(std::int64_t offset, ByteCount length, ByteCount limit) {
  const ByteCount taken = std::min(limit, length - within_);
  const Group group{offset + within_, taken, 1, 0};
  within_ += taken;
  if (within_ == length) {
    within_ = 0;
    ++index_;
  }
  return group;
}

Group Cursor::take_from_strided(ByteCount limit) {
  const ByteCount length = leaf_->child->size;
  const std::int64_t offset = leaf_base_ + index_ * leaf_->stride;
  if (within_ > 0 || limit < length) return take_from_run(offset, length, limit);
  const std::int64_t blocks = std::min(leaf_->count - index_, limit / length);
  index_ += blocks;
  return {offset, length, blocks, leaf_->stride};
}

Group Cursor::take(ByteCount limit) {
  Group group;
  bool leaf_done = false;
  switch (leaf_->kind) {
    case Node::Kind::block:
      group = take_from_run(leaf_base_, leaf_->size, limit);
      leaf_done = index_ > 0;
      break;
    case Node::Kind::strided:
      group = take_from_strided(limit);
      leaf_done = index_ == leaf_->count;
      break;
    case Node::Kind::indexed:
      group = take_from_run(leaf_base_ + leaf_->displacement(index_),
                            leaf_->start(index_ + 1) - leaf_->start(index_), limit);
      leaf_done = index_ == leaf_->entries();
      break;
  }
  position_ += group.size();
  if (leaf_done) next_leaf();
  return group;
}

}  // namespace tributary::view
