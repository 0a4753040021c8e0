// Which ranks share a node, and the communicator of this rank's node. Found out once for each
// file, when a collective access first needs it.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "plan/topology.hpp"

namespace tributary::exchange {

class Nodes {
 public:
  // Collective over `comm`, which must outlive the result.
  static Result<std::unique_ptr<Nodes>> discover(MPI_Comm comm);
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes();

  const plan::Topology& topology() const { return topology_; }
  MPI_Comm node_comm() const { return node_comm_; }
  bool is_here(int rank) const { return topology_.node_of(rank) == topology_.node_of(rank_); }
  int here() const { return topology_.node_of(rank_); }
  // The ranks of a node, in the order in which the node's communicator counts them.
  const std::vector<int>& ranks_of(int node) const {
    return ranks_[static_cast<std::size_t>(node)];
  }
  int rank_in_node(int rank) const;

 private:
  Nodes() = default;

  MPI_Comm node_comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<std::vector<int>> ranks_;  // by node
  plan::Topology topology_;
};

}  // namespace tributary::exchange
