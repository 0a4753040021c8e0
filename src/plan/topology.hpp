// Where the ranks of a job run: nodes, and NUMA domains inside a node.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tributary::plan {

struct Topology {
  int ranks = 1;
  std::vector<int> node_of_rank;        // empty: all on one node
  std::vector<int> numa_of_rank;        // empty: not known
  std::vector<std::string> node_names;  // empty: not known
  int cores_per_node = 1;

  int node_of(int rank) const {
    return node_of_rank.empty() ? 0 : node_of_rank[static_cast<std::size_t>(rank)];
  }
  int numa_of(int rank) const {
    return numa_of_rank.empty() ? 0 : numa_of_rank[static_cast<std::size_t>(rank)];
  }
  int nodes() const { return node_of_rank.empty() ? 1 : std::ranges::max(node_of_rank) + 1; }
};

}  // namespace tributary::plan
