#include "exchange/nodes.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace tributary::exchange {
namespace {

// What a rank tells the others about its place.
struct Place {
  int leader = 0;  // lowest rank of the node
  int numa = 0;
  int cores = 1;
  char host[64] = {};
};

Place place_of(int leader) {
  Place place;
  place.leader = leader;
  unsigned cpu = 0;
  unsigned numa = 0;
  if (::getcpu(&cpu, &numa) == 0) place.numa = static_cast<int>(numa);
  place.cores = std::max(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), 1);
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  std::memcpy(place.host, name,
              std::min<std::size_t>(static_cast<std::size_t>(length), sizeof place.host - 1));
  return place;
}

plan::Topology topology_of(const std::vector<Place>& places) {
  plan::Topology topology;
  topology.ranks = static_cast<int>(places.size());
  topology.cores_per_node = places.front().cores;
  std::map<int, int> node_of_leader;
  for (const Place& place : places) {
    const auto fresh = static_cast<int>(node_of_leader.size());
    const auto [node, added] = node_of_leader.emplace(place.leader, fresh);
    if (added) topology.node_names.emplace_back(place.host);
    topology.node_of_rank.push_back(node->second);
    topology.numa_of_rank.push_back(place.numa);
  }
  return topology;
}

}  // namespace

Result<std::unique_ptr<Nodes>> Nodes::discover(MPI_Comm comm) {
  const Error failed{ErrorKind::io, "the MPI failed to tell which ranks share a node"};
  std::unique_ptr<Nodes> nodes(new Nodes);
  int ranks = 1;
  PMPI_Comm_rank(comm, &nodes->rank_);
  const int rank = nodes->rank_;
  PMPI_Comm_size(comm, &ranks);
  if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &nodes->node_comm_) !=
      MPI_SUCCESS)
    return failed;
  PMPI_Comm_set_errhandler(nodes->node_comm_, MPI_ERRORS_RETURN);
  int leader = rank;
  PMPI_Bcast(&leader, 1, MPI_INT, 0, nodes->node_comm_);
  const Place mine = place_of(leader);
  std::vector<Place> places(static_cast<std::size_t>(ranks));
  if (PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, comm) !=
      MPI_SUCCESS)
    return failed;
  nodes->topology_ = topology_of(places);
  nodes->ranks_.resize(static_cast<std::size_t>(nodes->topology_.nodes()));
  for (int one = 0; one < ranks; ++one)
    nodes->ranks_[static_cast<std::size_t>(nodes->topology_.node_of(one))].push_back(one);
  return nodes;
}

Nodes::~Nodes() {
  if (node_comm_ != MPI_COMM_NULL) PMPI_Comm_free(&node_comm_);
}

int Nodes::rank_in_node(int rank) const {
  const std::vector<int>& ranks = ranks_of(topology_.node_of(rank));
  return static_cast<int>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

}  // namespace tributary::exchange
