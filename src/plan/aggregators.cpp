#include "plan/aggregators.hpp"

#include <charconv>
#include <limits>
#include <map>
#include <string_view>

namespace tributary::plan {
namespace {

constexpr int kUnlimited = std::numeric_limits<int>::max();
constexpr ByteCount kBytesPerAggregator = ByteCount{1} << 20;  // less is not worth a further one

// How many aggregators a list "host:count,*:count" allows on a node of that name. A host without
// a count allows one; `*` is any host, or any count.
int allowed_on(std::string_view list, std::string_view host) {
  if (list.empty()) return kUnlimited;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view entry = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    const std::string_view name = entry.substr(0, colon);
    if (name != "*" && name != host) continue;
    const std::string_view count = entry.substr(std::min(colon + 1, entry.size()));
    if (count == "*") return kUnlimited;
    int number = 1;
    std::from_chars(count.data(), count.data() + count.size(), number);
    return number;
  }
  return 0;
}

// The ranks of a node in the order in which they become aggregators: one of each NUMA domain,
// then the second of each, and so on.
std::vector<int> spread_over_numa(const std::map<int, std::vector<int>>& by_numa, int limit) {
  std::vector<int> order;
  bool more = true;
  for (std::size_t i = 0; more; ++i) {
    more = false;
    for (const auto& [numa, ranks] : by_numa) {
      if (i >= ranks.size()) continue;
      more = true;
      if (static_cast<int>(order.size()) < limit) order.push_back(ranks[i]);
    }
  }
  return order;
}

std::vector<std::vector<int>> candidates_by_node(const Topology& topology,
                                                 const AggregatorHints& hints) {
  std::vector<std::map<int, std::vector<int>>> nodes(static_cast<std::size_t>(topology.nodes()));
  for (int rank = 0; rank < topology.ranks; ++rank)
    nodes[static_cast<std::size_t>(topology.node_of(rank))][topology.numa_of(rank)].push_back(rank);
  std::vector<std::vector<int>> candidates;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::string_view name =
        node < topology.node_names.size() ? topology.node_names[node] : std::string_view();
    int limit = allowed_on(hints.config_list, name);
    if (hints.per_node > 0) limit = std::min(limit, hints.per_node);
    candidates.push_back(spread_over_numa(nodes[node], limit));
  }
  return candidates;
}

struct Wanted {
  std::int64_t count;
  std::string reason;
};

Wanted wanted_count(const Topology& topology, const Layout& layout, ByteCount total_bytes,
                    const AggregatorHints& hints) {
  if (hints.count > 0) return {hints.count, "asked for by cb_nodes"};
  if (hints.per_node > 0)
    return {std::int64_t{hints.per_node} * topology.nodes(),
            std::to_string(hints.per_node) + " on each node, as asked for"};
  const auto worth = static_cast<int>(std::clamp<ByteCount>(
      (total_bytes + kBytesPerAggregator - 1) / kBytesPerAggregator, 1, topology.ranks));
  if (layout.striped()) {
    const std::int64_t count = std::int64_t{layout.servers()} * hints.per_server;
    if (count <= worth)
      return {count, std::to_string(hints.per_server) + " for each storage server"};
  }
  const std::int64_t busy = std::int64_t{topology.nodes()} * std::max(topology.cores_per_node, 1);
  if (worth < busy) return {worth, "one for each MiB of data"};
  return {busy, "one for each core"};
}

}  // namespace

AggregatorChoice choose_aggregators(const Topology& topology, const Layout& layout,
                                    ByteCount total_bytes, const AggregatorHints& hints) {
  const Wanted wanted = wanted_count(topology, layout, total_bytes, hints);
  AggregatorChoice choice{{}, wanted.reason};
  const auto enough = [&] {
    return static_cast<std::int64_t>(choice.ranks.size()) >= wanted.count;
  };
  if (hints.placement_stride > 0) {
    for (std::int64_t rank = 0; rank < topology.ranks && !enough(); rank += hints.placement_stride)
      choice.ranks.push_back(static_cast<int>(rank));
    return choice;
  }
  const std::vector<std::vector<int>> candidates = candidates_by_node(topology, hints);
  bool more = true;
  for (std::size_t i = 0; more && !enough(); ++i) {
    more = false;
    for (const std::vector<int>& node : candidates) {
      if (i >= node.size() || enough()) continue;
      more = true;
      choice.ranks.push_back(node[i]);
    }
  }
  if (choice.ranks.empty()) {
    choice.ranks.push_back(0);
    choice.reason = "cb_config_list names no host of this job: rank 0";
  }
  return choice;
}

}  // namespace tributary::plan
