// How a collective access is done: a pure function from facts to a plan, with the reason for each
// choice. Facts are what every rank knows after one small exchange, so every rank makes the same
// plan. The library carries it out, `tributary explain` prints it; neither decides anything.
//
//   independent  each rank does its own part: pieces are large, or a shuffle would gain nothing
//   local        each rank, or k ranks of each node for their node; nothing leaves the node
//   two_phase    data is shuffled to aggregators, each of which owns a domain of the file
//   gather       the total is tiny: one aggregator, one cycle
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/aggregators.hpp"
#include "plan/cycles.hpp"
#include "plan/independent.hpp"
#include "plan/order.hpp"
#include "plan/partition.hpp"
#include "plan/schedule.hpp"

namespace tributary::plan {

enum class CollectiveStrategy : std::uint8_t { independent, local, two_phase, gather };
std::string_view name_of(CollectiveStrategy strategy);

// How data travels between ranks and aggregators.
enum class Shuffle : std::uint8_t { two_sided, one_sided_fence, one_sided_lock, shared };
std::string_view name_of(Shuffle shuffle);

// One rank's part of the access.
struct RankAccess {
  Extent span;  // from its first to its last byte
  ByteCount bytes = 0;
  ByteCount mean_run = 1;
};

struct CollectiveFacts {
  Direction direction = Direction::write;
  std::vector<RankAccess> ranks;
  Topology topology;
  Layout layout;
  ByteCount lock_bytes = 4096;     // granularity of locks and pages, where nothing is striped
  bool page_cache_shared = false;  // all ranks see one page cache: a local file system
  bool views_ascending = true;     // false: some rank's view steps back, so nothing can be cut
  bool atomic = false;
  bool windows_fail = false;  // this MPI could not make windows for this job
  IndependentFacts storage;   // costs of the independent path, for the comparison
};

struct CollectiveHints {
  std::optional<CollectiveStrategy> strategy;
  std::optional<Partitioning> partitioning;
  std::optional<Schedule> schedule;
  std::optional<RequestOrder> order;
  std::optional<Shuffle> shuffle;
  Choice two_level = Choice::automatic;
  int sub_buffers = 0;  // 0: as many as the schedule needs
  ByteCount buffer_bytes = ByteCount{16} << 20;
  bool buffer_asked_for = false;  // else it is only a bound
  ByteCount domain_bytes_min = 0;
  AggregatorHints aggregators;
  IndependentHints independent;
};

// What was chosen for one question, and why.
struct Reason {
  std::string_view question;
  std::string_view chosen;
  std::string why;
};

struct CollectivePlan {
  Direction direction = Direction::write;
  CollectiveStrategy strategy = CollectiveStrategy::independent;
  Partitioning partitioning = Partitioning::even;
  Schedule schedule = Schedule::none;
  RequestOrder order = RequestOrder::logical;
  Shuffle shuffle = Shuffle::two_sided;
  // Shares up to this size that leave their node go in one message for the node; 0: none do.
  ByteCount combined_bytes_max = 0;
  Extent accessed;
  std::vector<int> aggregators;         // ranks, by aggregator
  std::vector<Domain> domains;          // by aggregator; also what it may ask locks for
  std::vector<int> aggregator_of_rank;  // local: who gathers for whom; empty: by domain
  ByteCount sub_buffer_bytes = 0;
  int sub_buffers = 1;
  std::int64_t cycles = 0;  // of the aggregator with most; the others idle in the last ones
  std::vector<Reason> reasons;

  bool shuffles() const { return !aggregators.empty(); }
  bool two_level() const { return combined_bytes_max > 0; }
  Cycles cycles_of(int aggregator, const Layout& layout) const;
  Program program() const { return make_program(schedule, direction, cycles, sub_buffers); }
  const Reason* reason(std::string_view question) const;
};

// Why every rank does its own part whatever the others want, or nothing if that takes a plan. By
// what all ranks know without a word: `small_pieces` is agreed on when a view is set.
std::string_view settled(const CollectiveFacts& common, const CollectiveHints& hints,
                         bool small_pieces);

CollectivePlan plan_collective(const CollectiveFacts& facts, const CollectiveHints& hints);

// What the cycles of a plan cost on the layout's servers: in a cycle, requests to one server queue
// up and the slowest server holds up everybody (HACIO tables 1 to 3).
struct CycleCost {
  std::vector<double> by_server;
  double cost = 0;
};
std::vector<CycleCost> cycle_costs(const CollectivePlan& plan, const Layout& layout);

}  // namespace tributary::plan
