// Collective plans: domains, cycles, orders, schedules, aggregators, and the papers' examples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <set>

#include "plan/collective.hpp"
#include "plan_case.hpp"

namespace tributary::plan {
namespace {

constexpr Partitioning kPartitionings[] = {Partitioning::even, Partitioning::aligned,
                                           Partitioning::static_cyclic, Partitioning::group_cyclic};
constexpr RequestOrder kOrders[] = {RequestOrder::logical, RequestOrder::concurrency,
                                    RequestOrder::heterogeneity};
constexpr Schedule kSchedules[] = {Schedule::none, Schedule::comm, Schedule::write,
                                   Schedule::write_comm, Schedule::write_comm_2};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

Layout random_layout(Random& random) {
  Layout layout;
  if (random.between(0, 3) == 0) return layout;
  layout.stripe_bytes = random.between(1, 50);
  const auto classes = random.between(1, 3);
  for (std::int64_t i = 0; i < classes; ++i)
    layout.classes.push_back({"class" + std::to_string(i), static_cast<double>(i + 1)});
  const auto servers = random.between(1, 7);
  for (std::int64_t i = 0; i < servers; ++i)
    layout.class_of_server.push_back(static_cast<int>(random.between(0, classes - 1)));
  return layout;
}

Case random_case(unsigned seed) {
  Random random(seed);
  Case result;
  CollectiveFacts& facts = result.facts;
  facts.direction = random.between(0, 1) == 0 ? Direction::write : Direction::read;
  facts.layout = random_layout(random);
  facts.lock_bytes = random.between(1, 20);
  facts.topology.ranks = static_cast<int>(random.between(1, 9));
  facts.topology.cores_per_node = static_cast<int>(random.between(1, 4));
  for (int i = 0; i < facts.topology.ranks; ++i) {
    const std::int64_t offset = random.between(0, 500);
    const std::int64_t length = random.between(0, 400);
    facts.ranks.push_back({{offset, length}, length, 1});
  }
  CollectiveHints& hints = result.hints;
  hints.strategy = CollectiveStrategy::two_phase;
  hints.partitioning = kPartitionings[random.between(0, 3)];
  hints.order = kOrders[random.between(0, 2)];
  hints.schedule = kSchedules[random.between(0, 4)];
  hints.buffer_bytes = random.between(1, 200);
  hints.sub_buffers = static_cast<int>(random.between(0, 4));
  hints.aggregators.count = static_cast<int>(random.between(0, 9));
  return result;
}

TEST(CollectivePlan, CyclesTileTheAccessedRangeOnce) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const Case one = random_case(seed);
    const CollectivePlan plan = plan_collective(one.facts, one.hints);
    std::map<FileOffset, FileOffset> seen;
    if (!plan.shuffles()) continue;
    ASSERT_LE(plan.sub_buffer_bytes * plan.sub_buffers,
              std::max<ByteCount>(one.hints.buffer_bytes, plan.sub_buffers));
    for (int i = 0; i < static_cast<int>(plan.aggregators.size()); ++i) {
      const Cycles cycles = plan.cycles_of(i, one.facts.layout);
      ASSERT_LE(cycles.count(), plan.cycles);
      ByteCount total = 0;
      for (std::int64_t c = 0; c < plan.cycles; ++c) {
        ByteCount filled = 0;
        for (const Extent& extent : cycles.extents(c)) {
          ASSERT_TRUE(seen.emplace(extent.offset, extent.end()).second) << "seed " << seed;
          filled += extent.length;
        }
        ASSERT_LE(filled, plan.sub_buffer_bytes);
        total += filled;
      }
      ASSERT_EQ(total, plan.domains[static_cast<std::size_t>(i)].bytes());
    }
    FileOffset at = plan.accessed.offset;
    for (const auto& [from, to] : seen) {
      ASSERT_EQ(from, at) << "seed " << seed;
      at = to;
    }
    ASSERT_EQ(at, plan.accessed.end()) << "seed " << seed;
  }
}

TEST(CollectivePlan, AlignedPartitioningsNeverSplitAStripe) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const Case one = random_case(seed);
    if (!one.facts.layout.striped() || one.hints.partitioning == Partitioning::even) continue;
    const CollectivePlan plan = plan_collective(one.facts, one.hints);
    std::map<std::int64_t, std::size_t> owner;
    for (std::size_t i = 0; i < plan.domains.size(); ++i) {
      const Domain& domain = plan.domains[i];
      for (std::int64_t block = 0; block < domain.blocks; ++block) {
        const Extent extent = domain.block_at(block);
        if (extent.empty()) continue;
        const ByteCount stripe = one.facts.layout.stripe_bytes;
        ASSERT_EQ(extent.offset / stripe, (extent.end() - 1) / stripe);
        const auto [found, fresh] = owner.emplace(extent.offset / stripe, i);
        ASSERT_TRUE(fresh || found->second == i) << "seed " << seed;
      }
    }
  }
}

TEST(CollectivePlan, StaticCyclicKeepsAnAggregatorAtOneServer) {
  Layout layout{100, {0, 0, 0, 0}, {{"disk", 1}}};
  Division division;
  division.partitioning = Partitioning::static_cyclic;
  division.accessed = {250, 10'000};
  division.aggregators = 8;
  division.unit_bytes = 100;
  for (const Domain& domain : make_domains(division)) {
    std::set<int> servers;
    for (std::int64_t i = 0; i < domain.blocks; ++i)
      servers.insert(layout.server_of(domain.block_at(i).offset));
    EXPECT_EQ(servers.size(), 1U);
  }
}

TEST(CollectivePlan, GroupCyclicHasAsManyAggregatorsInAGroupAsServers) {
  Division division;
  division.partitioning = Partitioning::group_cyclic;
  division.accessed = {0, 1200};
  division.aggregators = 6;
  division.unit_bytes = 100;
  division.servers = 3;
  const std::vector<Domain> domains = make_domains(division);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(domains[i].range, (Extent{i < 3 ? 0 : 600, 600}));
    EXPECT_EQ(domains[i].stride, 300);
    EXPECT_EQ(domains[i].blocks, 2);
  }
}

// --- schedules ---------------------------------------------------------------------------

// Runs a program on sub-buffers that know what happens to them.
class Machine {
 public:
  Machine(Direction direction, std::int64_t cycles, int sub_buffers)
      : direction_(direction),
        state_(static_cast<std::size_t>(cycles)),
        holder_(static_cast<std::size_t>(sub_buffers), -1) {}

  void run(const Program& program) {
    for (const Step& step : program) apply(step);
    for (const int state : state_) EXPECT_EQ(state, 4);
    for (const std::int64_t holder : holder_) EXPECT_EQ(holder, -1);
  }
  int in_flight_max() const { return in_flight_max_; }

 private:
  // 0 untouched, 1 first half posted, 2 awaited, 3 second half posted, 4 done
  void apply(const Step& step) {
    const bool write = direction_ == Direction::write;
    const bool first = (step.operation == Operation::post_exchange ||
                        step.operation == Operation::await_exchange) == write;
    const bool post =
        step.operation == Operation::post_exchange || step.operation == Operation::post_io;
    int& state = state_[static_cast<std::size_t>(step.cycle)];
    std::int64_t& holder = holder_[static_cast<std::size_t>(step.sub_buffer)];
    EXPECT_EQ(state, (first ? 0 : 2) + (post ? 0 : 1)) << "cycle " << step.cycle;
    if (state == 0) {
      EXPECT_EQ(holder, -1) << "sub-buffer still in use";
      holder = step.cycle;
    }
    EXPECT_EQ(holder, step.cycle);
    ++state;
    if (state == 4) holder = -1;
    in_flight_ += post ? 1 : -1;
    in_flight_max_ = std::max(in_flight_max_, in_flight_);
  }

  Direction direction_;
  std::vector<int> state_;
  std::vector<std::int64_t> holder_;
  int in_flight_ = 0;
  int in_flight_max_ = 0;
};

TEST(Schedule, EveryAwaitHasItsPostAndNoSubBufferIsTouchedTooEarly) {
  for (const Schedule schedule : kSchedules) {
    for (const Direction direction : {Direction::write, Direction::read}) {
      for (int buffers = 1; buffers <= 5; ++buffers) {
        for (std::int64_t cycles = 0; cycles <= 12; ++cycles) {
          SCOPED_TRACE(std::string(name_of(schedule)) + " " + std::to_string(buffers) + " " +
                       std::to_string(cycles));
          Machine machine(direction, cycles, buffers);
          machine.run(make_program(schedule, direction, cycles, buffers));
          if (buffers == 1 || schedule == Schedule::none) {
            EXPECT_LE(machine.in_flight_max(), 1);
          } else if (cycles > 2) {
            EXPECT_GE(machine.in_flight_max(), 2);
          }
        }
      }
    }
  }
}

TEST(Schedule, ReadIsTheMirrorOfWrite) {
  for (const Schedule schedule : kSchedules) {
    const Program write = make_program(schedule, Direction::write, 7, 3);
    const Program read = make_program(schedule, Direction::read, 7, 3);
    EXPECT_EQ(mirror(write, 7, 3), read);
    EXPECT_EQ(mirror(read, 7, 3), write);
  }
}

std::string letters(const Program& program) {
  std::string text;
  for (const Step& step : program) {
    constexpr const char* kLetters[] = {"S", "s", "W", "w"};  // shuffle and write; s, w: awaited
    text += kLetters[static_cast<int>(step.operation)] + std::to_string(step.cycle) + " ";
  }
  return text;
}

// Dissertation 3.1.1, three cycles, two sub-buffers.
TEST(Schedule, TheDissertationsAlgorithms) {
  const auto program = [](Schedule schedule) {
    return letters(make_program(schedule, Direction::write, 3, 2));
  };
  EXPECT_EQ(program(Schedule::none), "S0 s0 W0 w0 S1 s1 W1 w1 S2 s2 W2 w2 ");
  EXPECT_EQ(program(Schedule::comm), "S0 S1 s0 W0 w0 S2 s1 W1 w1 s2 W2 w2 ");
  EXPECT_EQ(program(Schedule::write), "S0 s0 W0 S1 s1 W1 w0 S2 s2 W2 w1 w2 ");
  EXPECT_EQ(program(Schedule::write_comm), "S0 s0 W0 S1 s1 w0 W1 S2 s2 w1 W2 w2 ");
  EXPECT_EQ(program(Schedule::write_comm_2), "S0 S1 s0 W0 s1 W1 w0 S2 w1 s2 W2 w2 ");
}

// --- request orders: the paper's example ----------------------------------------------------

using Table = std::vector<std::vector<double>>;  // a row for each cycle, its cost last

Table table_of(RequestOrder order) {
  Case example = hacio_example();
  example.hints.order = order;
  const CollectivePlan plan = plan_collective(example.facts, example.hints);
  Table table;
  double sum = 0;
  std::printf("%s\nCycle  HServer0  SServer0  HServer1  SServer1  Cost (T)\n",
              std::string(name_of(order)).c_str());
  for (const CycleCost& cycle : cycle_costs(plan, example.facts.layout)) {
    std::printf("%5zu", table.size());
    for (const double cost : cycle.by_server) std::printf("%10.0f", cost);
    std::printf("%10.0f\n", cycle.cost);
    table.push_back(cycle.by_server);
    table.back().push_back(cycle.cost);
    sum += cycle.cost;
  }
  std::printf("  Sum%50.0f\n", sum);
  return table;
}

TEST(RequestOrder, TableOneOfThePaper) {
  EXPECT_EQ(table_of(RequestOrder::logical),
            (Table{{10, 0, 0, 0, 10}, {0, 2, 0, 0, 2}, {0, 0, 10, 0, 10}, {0, 0, 0, 2, 2}}));
}

TEST(RequestOrder, TableTwoOfThePaper) {
  EXPECT_EQ(table_of(RequestOrder::concurrency),
            (Table{{5, 1, 0, 0, 5}, {0, 1, 5, 0, 5}, {0, 0, 5, 1, 5}, {5, 0, 0, 1, 5}}));
}

// The paper prints the rows of table 3 as slow, fast, slow, fast; its algorithm 1 (and its text)
// serve one class wholly before the next: the same rows, the same sum of 12 T.
TEST(RequestOrder, TableThreeOfThePaper) {
  EXPECT_EQ(table_of(RequestOrder::heterogeneity),
            (Table{{5, 0, 5, 0, 5}, {5, 0, 5, 0, 5}, {0, 1, 0, 1, 1}, {0, 1, 0, 1, 1}}));
}

TEST(RequestOrder, EveryOrderIsAPermutation) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Case one = random_case(seed);
    const CollectivePlan plan = plan_collective(one.facts, one.hints);
    for (std::size_t i = 0; i < plan.domains.size(); ++i) {
      const Domain& domain = plan.domains[i];
      const BlockOrder order(plan.order, domain, static_cast<int>(i), one.facts.layout);
      std::set<std::int64_t> seen;
      for (std::int64_t n = 0; n < domain.blocks; ++n) seen.insert(order.at(n));
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), domain.blocks) << "seed " << seed;
      ASSERT_TRUE(seen.empty() || *seen.rbegin() == domain.blocks - 1);
    }
  }
}

TEST(RequestOrder, AnyNumberOfClassesSlowestFirst) {
  Layout layout{10, {0, 1, 2}, {{"flash", 1}, {"tape", 50}, {"disk", 5}}};
  Division division;
  division.accessed = {0, 90};
  division.unit_bytes = division.alignment_bytes = 10;
  const Domain domain = make_domains(division).front();
  const BlockOrder order(RequestOrder::heterogeneity, domain, 0, layout);
  std::vector<std::int64_t> blocks;
  for (std::int64_t n = 0; n < 9; ++n) blocks.push_back(order.at(n));
  EXPECT_EQ(blocks, (std::vector<std::int64_t>{1, 4, 7, 2, 5, 8, 0, 3, 6}));
}

// --- aggregators ---------------------------------------------------------------------------

Topology cluster(int nodes, int ranks_per_node, int numa) {
  Topology topology;
  topology.ranks = nodes * ranks_per_node;
  topology.cores_per_node = ranks_per_node;
  for (int rank = 0; rank < topology.ranks; ++rank) {
    topology.node_of_rank.push_back(rank / ranks_per_node);
    topology.numa_of_rank.push_back(rank % ranks_per_node * numa / ranks_per_node);
  }
  for (int node = 0; node < nodes; ++node)
    topology.node_names.push_back("n" + std::to_string(node));
  return topology;
}

std::vector<int> chosen(const Topology& topology, const AggregatorHints& hints,
                        const Layout& layout = {}, ByteCount bytes = ByteCount{1} << 40) {
  return choose_aggregators(topology, layout, bytes, hints).ranks;
}

TEST(Aggregators, SpreadOverNodesThenNumaDomains) {
  EXPECT_EQ(chosen(cluster(3, 4, 2), {.count = 6}), (std::vector<int>{0, 4, 8, 2, 6, 10}));
}

TEST(Aggregators, ConfigListLimitsHosts) {
  const Topology topology = cluster(3, 4, 1);
  EXPECT_EQ(chosen(topology, {.count = 12, .config_list = "*:1"}), (std::vector<int>{0, 4, 8}));
  EXPECT_EQ(chosen(topology, {.count = 12, .config_list = "n1:2,n2"}), (std::vector<int>{4, 8, 5}));
  EXPECT_EQ(chosen(topology, {.count = 12, .config_list = "n2:*"}),
            (std::vector<int>{8, 9, 10, 11}));
  EXPECT_EQ(chosen(topology, {.config_list = "other:3"}), (std::vector<int>{0}));
}

TEST(Aggregators, PerNodePerServerAndByVolume) {
  EXPECT_EQ(chosen(cluster(2, 4, 1), {.per_node = 2}), (std::vector<int>{0, 4, 1, 5}));
  const Layout striped{1 << 20, {0, 0, 0}, {{"disk", 1}}};
  EXPECT_EQ(chosen(cluster(2, 4, 1), {.per_server = 2}, striped).size(), 6U);
  EXPECT_EQ(chosen(cluster(4, 8, 1), {}, {}, 3 << 20).size(), 3U);
  EXPECT_EQ(chosen(cluster(1, 8, 1), {.count = 4, .placement_stride = 2}),
            (std::vector<int>{0, 2, 4, 6}));
}

// --- strategy -----------------------------------------------------------------------------

CollectiveFacts interleaved(int ranks, ByteCount run, std::int64_t runs) {
  CollectiveFacts facts;
  facts.topology.ranks = ranks;
  facts.topology.cores_per_node = 2;
  for (int rank = 0; rank < ranks; ++rank)
    facts.ranks.push_back({{rank * run, ((runs - 1) * ranks + 1) * run}, run * runs, run});
  return facts;
}

TEST(CollectiveStrategy, LargePiecesAreLeftToTheirRanks) {
  const CollectivePlan plan = plan_collective(interleaved(4, 1 << 20, 8), {});
  EXPECT_EQ(plan.strategy, CollectiveStrategy::independent);
  EXPECT_NE(plan.reason("strategy")->why.find("each rank for itself"), std::string::npos);
}

TEST(CollectiveStrategy, SmallInterleavedPiecesAreGatheredWhereCallsAreDear) {
  CollectiveFacts facts = interleaved(4, 64, 10'000);
  facts.storage.call_ns = 100'000;
  EXPECT_EQ(plan_collective(facts, {}).strategy, CollectiveStrategy::two_phase);
  facts = interleaved(8, 64, 20);
  facts.storage.call_ns = 100'000;
  EXPECT_EQ(plan_collective(facts, {}).strategy, CollectiveStrategy::gather);
}

TEST(CollectiveStrategy, HintsForceWhatIsPossible) {
  CollectiveFacts facts = interleaved(4, 64, 1000);
  CollectiveHints hints;
  for (const CollectiveStrategy strategy :
       {CollectiveStrategy::independent, CollectiveStrategy::local, CollectiveStrategy::two_phase,
        CollectiveStrategy::gather}) {
    hints.strategy = strategy;
    EXPECT_EQ(plan_collective(facts, hints).strategy, strategy);
  }
  facts.views_ascending = false;
  EXPECT_EQ(plan_collective(facts, hints).strategy, CollectiveStrategy::independent);
}

TEST(CollectiveStrategy, AlmostEmptyRangesAreNotSwept) {
  CollectiveFacts facts = interleaved(2, 64, 1);
  facts.ranks[1].span.offset = std::int64_t{1} << 50;
  CollectiveHints hints;
  hints.strategy = CollectiveStrategy::two_phase;
  const CollectivePlan plan = plan_collective(facts, hints);
  EXPECT_FALSE(plan.shuffles());
  EXPECT_NE(plan.reason("strategy")->why.find("sparse"), std::string::npos);
}

TEST(CollectiveStrategy, LocalAggregationServesEachRankOnItsNode) {
  CollectiveFacts facts = interleaved(12, 64, 100);
  facts.topology = cluster(3, 4, 1);
  CollectiveHints hints;
  hints.strategy = CollectiveStrategy::local;
  hints.aggregators.per_node = 2;
  const CollectivePlan plan = plan_collective(facts, hints);
  ASSERT_EQ(plan.aggregators.size(), 6U);
  for (int rank = 0; rank < 12; ++rank) {
    const int aggregator = plan.aggregators[static_cast<std::size_t>(
        plan.aggregator_of_rank[static_cast<std::size_t>(rank)])];
    EXPECT_EQ(facts.topology.node_of(aggregator), facts.topology.node_of(rank));
  }
}

}  // namespace
}  // namespace tributary::plan
