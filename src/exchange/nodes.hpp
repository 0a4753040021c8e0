// Which ranks share a node, and the communicator of this rank's node. Found out once for each
// file, when a collective access first needs it.
#pragma once

#include <mpi.h>

#include <memory>

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
  // A rank of this node as the node's communicator counts it.
  int rank_in_node(int rank) const;

 private:
  Nodes() = default;

  MPI_Comm node_comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  plan::Topology topology_;
};

}  // namespace tributary::exchange
