// Words: at, number of nodes, then the nodes, children before their parents:
//   kind ascending nondecreasing depth size lower upper last_start runs count stride unit
//   child+1  n displacements...  n starts...  n children...
#include "view/serialise.hpp"

#include <map>
#include <memory>

namespace tributary::view {
namespace {

class Writer {
 public:
  explicit Writer(const Tree& tree) {
    words_ = {tree.at, 0};
    if (tree.node) add(*tree.node);
    words_[1] = static_cast<std::int64_t>(index_.size());
  }
  std::vector<std::int64_t> take() { return std::move(words_); }

 private:
  std::int64_t add(const Node& node) {
    if (const auto known = index_.find(&node); known != index_.end()) return known->second;
    const std::int64_t child = node.child ? add(*node.child) + 1 : 0;
    std::vector<std::int64_t> children;
    for (const NodePtr& one : node.children) children.push_back(add(*one));
    for (const std::int64_t word :
         {static_cast<std::int64_t>(node.kind), std::int64_t{node.ascending},
          std::int64_t{node.nondecreasing}, std::int64_t{node.depth}, node.size, node.lower,
          node.upper, node.last_start, node.runs, node.count, node.stride, node.unit, child})
      words_.push_back(word);
    add_list(node.displacements);
    add_list(node.starts);
    add_list(children);
    const auto index = static_cast<std::int64_t>(index_.size());
    index_.emplace(&node, index);
    return index;
  }
  void add_list(const std::vector<std::int64_t>& list) {
    words_.push_back(static_cast<std::int64_t>(list.size()));
    words_.insert(words_.end(), list.begin(), list.end());
  }

  std::vector<std::int64_t> words_;
  std::map<const Node*, std::int64_t> index_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::int64_t> words) : words_(words) {}

  Tree read() {
    Tree tree{nullptr, next()};
    const std::int64_t count = next();
    for (std::int64_t i = 0; i < count; ++i) nodes_.push_back(read_node());
    if (!nodes_.empty()) tree.node = nodes_.back();
    return tree;
  }

 private:
  std::int64_t next() {
    const std::int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::vector<std::int64_t> next_list() {
    const auto size = static_cast<std::size_t>(next());
    const auto list = words_.first(size);
    words_ = words_.subspan(size);
    return {list.begin(), list.end()};
  }
  NodePtr read_node() {
    auto node = std::make_shared<Node>();
    node->kind = static_cast<Node::Kind>(next());
    node->ascending = next() != 0;
    node->nondecreasing = next() != 0;
    node->depth = static_cast<int>(next());
    for (std::int64_t* const field : {&node->size, &node->lower, &node->upper, &node->last_start,
                                      &node->runs, &node->count, &node->stride, &node->unit})
      *field = next();
    if (const std::int64_t child = next(); child > 0)
      node->child = nodes_[static_cast<std::size_t>(child - 1)];
    node->displacements = next_list();
    node->starts = next_list();
    for (const std::int64_t child : next_list())
      node->children.push_back(nodes_[static_cast<std::size_t>(child)]);
    return node;
  }

  std::span<const std::int64_t> words_;
  std::vector<NodePtr> nodes_;
};

}  // namespace

std::vector<std::int64_t> serialise(const Tree& tree) {
  return Writer(tree).take();
}

Tree deserialise(std::span<const std::int64_t> words) {
  return Reader(words).read();
}

}  // namespace tributary::view
