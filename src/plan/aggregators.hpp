// How many ranks aggregate, and which: by hint, for each node, for each server, or from the
// amount of data. They are spread over nodes and, inside a node, over NUMA domains.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "plan/layout.hpp"
#include "plan/topology.hpp"

namespace tributary::plan {

struct AggregatorHints {
  int count = 0;                 // cb_nodes; 0: chosen here
  std::string config_list = {};  // cb_config_list as the user gave it; empty: any host, any number
  int per_node = 0;              // 0: not asked for
  int per_server = 1;            // aggregators for each storage server
  int placement_stride = 0;      // ranks from one aggregator to the next; 0: spread over the nodes
};

struct AggregatorChoice {
  std::vector<int> ranks;
  std::string reason;
};

AggregatorChoice choose_aggregators(const Topology& topology, const Layout& layout,
                                    ByteCount total_bytes, const AggregatorHints& hints);

}  // namespace tributary::plan
