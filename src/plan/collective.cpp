#include "plan/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tributary::plan {
namespace {

// Costs in nanoseconds, as orders of magnitude (docs/performance.md says how measured).
constexpr double kCopyByte = 0.12;              // through shared memory, per byte
constexpr double kMessageByte = 0.30;           // packed, sent, unpacked
constexpr double kCopyRun = 4;                  // per contiguous run, on both sides of a copy
constexpr double kHole = 60;                    // finding a hole
constexpr double kHolePage = 900;               // rewriting a page with holes
constexpr double kFileByte = 0.25;              // large contiguous file access
constexpr double kCycle = 15'000;               // ranks wait for each other once in each direction
constexpr double kCall = 20'000;                // agreeing on a plan
constexpr std::int64_t kEmptyCyclesMax = 1000;  // cycles without data that are put up with ...
constexpr std::int64_t kEmptyCycles = 8;        // ... and how many more for each one with data
constexpr ByteCount kTinyTotal = 64 << 10;
constexpr ByteCount kBoxBytes = 4 << 20;           // what a rank hands over to its node in a cycle
constexpr ByteCount kCombinedBytesMax = 64 << 10;  // a larger message is as well on its own
constexpr ByteCount kCacheBytes = 1 << 20;
constexpr ByteCount kSubBufferMax = ByteCount{1} << 30;  // counts in messages are int

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(std::llround(bytes)) + kUnits[unit];
}

std::string microseconds(double ns) {
  return std::to_string(std::llround(ns / 1000)) + " us";
}

// What all ranks want together.
struct Sum {
  Extent accessed;
  ByteCount bytes = 0;
  std::int64_t runs = 0;
  int active = 0;
};

Sum sum_of(const std::vector<RankAccess>& ranks) {
  Sum sum;
  FileOffset end = 0;
  for (const RankAccess& rank : ranks) {
    if (rank.bytes == 0) continue;
    const FileOffset first = rank.span.offset;
    const FileOffset low = sum.active == 0 ? first : std::min(sum.accessed.offset, first);
    end = std::max(sum.active == 0 ? rank.span.end() : end, rank.span.end());
    sum.accessed = {low, end - low};
    sum.bytes += rank.bytes;
    sum.runs += std::max<std::int64_t>(rank.bytes / std::max<ByteCount>(rank.mean_run, 1), 1);
    ++sum.active;
  }
  return sum;
}

class Planner {
 public:
  Planner(const CollectiveFacts& facts, const CollectiveHints& hints)
      : facts_(facts), hints_(hints), sum_(sum_of(facts.ranks)) {}

  CollectivePlan make() {
    plan_.direction = facts_.direction;
    plan_.accessed = sum_.accessed;
    choose_strategy();
    if (!needs_aggregators()) return std::move(plan_);
    choose_schedule();
    choose_sub_buffers();
    choose_aggregators();
    choose_partitioning();
    choose_order();
    choose_shuffle();
    if (plan_.strategy == CollectiveStrategy::local) gather_locally();
    for (int i = 0; i < aggregators(); ++i)
      plan_.cycles = std::max(plan_.cycles, plan_.cycles_of(i, facts_.layout).count());
    if (too_sparse()) return alone("too sparse: most cycles would find no data");
    return std::move(plan_);
  }

 private:
  bool needs_aggregators() const {
    if (plan_.strategy == CollectiveStrategy::local) return hints_.aggregators.per_node > 0;
    return plan_.strategy != CollectiveStrategy::independent;
  }
  int aggregators() const { return static_cast<int>(plan_.aggregators.size()); }

  // Cycles go through the whole accessed range, data or not.
  bool too_sparse() const {
    const ByteCount filled = sum_.bytes / plan_.sub_buffer_bytes;
    return plan_.cycles > kEmptyCyclesMax + kEmptyCycles * filled;
  }

  CollectivePlan alone(std::string why) const {
    CollectivePlan plan;
    plan.direction = plan_.direction;
    plan.accessed = plan_.accessed;
    plan.reasons.push_back({"strategy", name_of(plan.strategy), std::move(why)});
    return plan;
  }

  void say(std::string_view question, std::string_view chosen, std::string why) {
    plan_.reasons.push_back({question, chosen, std::move(why)});
  }

  // --- strategy ------------------------------------------------------------------------
  void choose_strategy() {
    auto [strategy, why] = best_strategy();
    plan_.strategy = strategy;
    say("strategy", name_of(strategy), std::move(why));
  }

  std::pair<CollectiveStrategy, std::string> best_strategy() const {
    using enum CollectiveStrategy;
    if (sum_.bytes == 0) return {independent, "nobody wants any data"};
    if (!facts_.views_ascending)
      return {independent, "a view steps back or overlaps itself, domains cannot cut it"};
    if (facts_.atomic) return {independent, "atomic mode: each rank locks its own part"};
    if (hints_.strategy) return {*hints_.strategy, "asked for by hint"};
    return cheapest();
  }

  std::pair<CollectiveStrategy, std::string> cheapest() const {
    using enum CollectiveStrategy;
    const double alone = independent_ns();
    const double together = two_phase_ns();
    const std::string comparison = "about " + microseconds(alone) + " each rank for itself, " +
                                   microseconds(together) + " through aggregators";
    if (alone <= together) return {independent, comparison};
    if (sum_.bytes <= kTinyTotal && sum_.accessed.length <= hints_.buffer_bytes)
      return {gather,
              "only " + bytes_text(static_cast<double>(sum_.bytes)) + " in all; " + comparison};
    return {two_phase, comparison};
  }

  double parallelism() const {
    const int cores = facts_.topology.nodes() * std::max(facts_.topology.cores_per_node, 1);
    return std::clamp(sum_.active, 1, std::max(cores, 1));
  }

  double independent_ns() const {
    double work = 0;
    for (const RankAccess& rank : facts_.ranks) {
      if (rank.bytes == 0) continue;
      IndependentFacts one = facts_.storage;
      one.direction = facts_.direction;
      one.bytes = rank.bytes;
      one.span = rank.span;
      one.file_mean_run = rank.mean_run;
      work += static_cast<double>(plan_independent(one, hints_.independent).cost_ns);
    }
    return work / parallelism();
  }

  // Aggregators find the holes, and rewrite or map the pages around them.
  double cost_of_holes() const {
    const auto pages = static_cast<double>(sum_.accessed.length) / 4096;
    const double page = std::min(kHolePage, static_cast<double>(facts_.storage.store_page_ns));
    return kHole * static_cast<double>(sum_.runs) + pages * page;
  }

  double two_phase_ns() const {
    const double copy = facts_.topology.nodes() == 1 ? kCopyByte : kCopyByte + kMessageByte;
    const auto bytes = static_cast<double>(sum_.bytes);
    const double cycles = std::ceil(static_cast<double>(sum_.accessed.length) /
                                    static_cast<double>(cycle_bytes(1)) / parallelism());
    const double work = bytes * (copy + kFileByte) + 2 * kCopyRun * static_cast<double>(sum_.runs);
    const auto call = static_cast<double>(facts_.storage.call_ns);
    const bool holes = facts_.direction == Direction::write && sum_.bytes < sum_.accessed.length;
    const double around = holes ? cost_of_holes() : 0;
    return kCall + cycles * (kCycle + call) + (work + around) / parallelism();
  }

  // --- schedule and buffers ----------------------------------------------------------------
  void choose_schedule() {
    if (plan_.strategy == CollectiveStrategy::gather)
      return say("schedule", name_of(plan_.schedule), "one cycle: nothing to overlap");
    if (hints_.schedule) {
      plan_.schedule = *hints_.schedule;
      return say("schedule", name_of(plan_.schedule), "asked for by hint");
    }
    // A thread that writes pays where a core is left for it.
    const Topology& topology = facts_.topology;
    const bool spare_core = topology.ranks < topology.nodes() * topology.cores_per_node;
    plan_.schedule = spare_core ? Schedule::write_comm_2 : Schedule::none;
    say("schedule", name_of(plan_.schedule),
        spare_core ? "cores are free for file access while data is exchanged"
                   : "every core has a rank: a thread for file access would take its time");
  }

  // On its way to a page cache, data is best in small portions; a user's size is taken as it is.
  bool in_cache() const { return facts_.page_cache_shared && !hints_.buffer_asked_for; }
  ByteCount cycle_bytes(int sub_buffers) const {
    return std::clamp<ByteCount>(hints_.buffer_bytes / sub_buffers, 1,
                                 in_cache() ? kCacheBytes : kSubBufferMax);
  }

  void choose_sub_buffers() {
    const int needed = plan_.schedule == Schedule::none ? 1 : 2;
    plan_.sub_buffers = hints_.sub_buffers > 0 ? hints_.sub_buffers : needed;
    ByteCount bytes = cycle_bytes(plan_.sub_buffers);
    std::string why = in_cache()
                          ? "data stays in a core's cache on its way to the page cache"
                          : bytes_text(static_cast<double>(hints_.buffer_bytes)) +
                                " of collective buffer in " + std::to_string(plan_.sub_buffers) +
                                " part" + (plan_.sub_buffers == 1 ? "" : "s");
    const ByteCount border =
        facts_.layout.striped() ? facts_.layout.stripe_bytes : facts_.lock_bytes;
    if (bytes > border) bytes -= bytes % border;
    plan_.sub_buffer_bytes = bytes;
    say("sub_buffers", {}, std::move(why));
  }

  // --- who and where -----------------------------------------------------------------------
  void choose_aggregators() {
    AggregatorHints hints = hints_.aggregators;
    if (plan_.strategy == CollectiveStrategy::gather) hints.count = 1;
    if (plan_.strategy == CollectiveStrategy::local) hints.count = 0;
    AggregatorChoice choice =
        plan::choose_aggregators(facts_.topology, facts_.layout, sum_.bytes, hints);
    plan_.aggregators = std::move(choice.ranks);
    say("aggregators", {}, std::move(choice.reason));
  }

  void choose_partitioning() {
    const Layout& layout = facts_.layout;
    if (hints_.partitioning) {
      plan_.partitioning = *hints_.partitioning;
      say("partitioning", name_of(plan_.partitioning), "asked for by hint");
    } else if (!layout.striped()) {
      plan_.partitioning = Partitioning::aligned;
      say("partitioning", name_of(plan_.partitioning), "not striped: no page has two writers");
    } else if (aggregators() % layout.servers() == 0 && !facts_.page_cache_shared) {
      plan_.partitioning = Partitioning::group_cyclic;
      say("partitioning", name_of(plan_.partitioning), "each aggregator talks to one server");
    } else {
      plan_.partitioning = Partitioning::aligned;
      say("partitioning", name_of(plan_.partitioning), "no stripe has two writers");
    }
    Division division;
    division.partitioning = plan_.partitioning;
    division.accessed = sum_.accessed;
    division.aggregators = aggregators();
    division.alignment_bytes = layout.striped() ? layout.stripe_bytes : facts_.lock_bytes;
    division.unit_bytes = layout.striped() ? layout.stripe_bytes : plan_.sub_buffer_bytes;
    division.domain_bytes_min = hints_.domain_bytes_min;
    division.servers = layout.servers();
    plan_.domains = make_domains(division);
  }

  void choose_order() {
    const Layout& layout = facts_.layout;
    if (hints_.order) {
      plan_.order = *hints_.order;
      return say("order", name_of(plan_.order), "asked for by hint");
    }
    if (layout.classes.size() > 1) {
      plan_.order = RequestOrder::heterogeneity;
      return say("order", name_of(plan_.order), "servers are not equally fast");
    }
    const bool several = layout.servers() > 1 && (plan_.partitioning == Partitioning::even ||
                                                  plan_.partitioning == Partitioning::aligned);
    plan_.order = several ? RequestOrder::concurrency : RequestOrder::logical;
    say("order", name_of(plan_.order),
        several ? "aggregators start at different servers" : "nothing to gain by another");
  }

  void choose_shuffle() {
    if (hints_.shuffle) {
      plan_.shuffle = *hints_.shuffle;
      say("shuffle", name_of(plan_.shuffle), "asked for by hint");
    } else {
      plan_.shuffle = Shuffle::shared;
      say("shuffle", name_of(plan_.shuffle),
          "ranks of a node share memory; messages between nodes");
    }
    if (plan_.shuffle != Shuffle::two_sided && facts_.windows_fail) {
      plan_.shuffle = Shuffle::two_sided;
      say("shuffle", name_of(plan_.shuffle), "this MPI makes no windows here");
    }
    const int ranks_per_node = facts_.topology.ranks / facts_.topology.nodes();
    const bool many = facts_.topology.nodes() > 1 && ranks_per_node >= 8;
    const bool wanted =
        hints_.two_level == Choice::enable || (hints_.two_level == Choice::automatic && many);
    if (!wanted || facts_.topology.nodes() == 1 || plan_.shuffle != Shuffle::shared) return;
    plan_.combined_bytes_max =
        std::clamp<ByteCount>(kBoxBytes / aggregators(), 1, kCombinedBytesMax);
    say("two_level", "yes", "one message for a node instead of a small one for each of its ranks");
  }

  // Each aggregator owns what the ranks it gathers for touch; such domains overlap, so pieces
  // between them are never written back.
  void gather_locally() {
    plan_.aggregator_of_rank.resize(static_cast<std::size_t>(facts_.topology.ranks));
    std::vector<std::vector<int>> by_node(static_cast<std::size_t>(facts_.topology.nodes()));
    for (int i = 0; i < aggregators(); ++i)
      by_node[static_cast<std::size_t>(
                  facts_.topology.node_of(plan_.aggregators[static_cast<std::size_t>(i)]))]
          .push_back(i);
    std::vector<std::vector<RankAccess>> parts(plan_.aggregators.size());
    std::vector<std::size_t> next(by_node.size(), 0);
    for (int rank = 0; rank < facts_.topology.ranks; ++rank) {
      const auto node = static_cast<std::size_t>(facts_.topology.node_of(rank));
      const std::vector<int>& here = by_node[node];
      const int chosen = here.empty() ? 0 : here[next[node]++ % here.size()];
      plan_.aggregator_of_rank[static_cast<std::size_t>(rank)] = chosen;
      parts[static_cast<std::size_t>(chosen)].push_back(
          facts_.ranks[static_cast<std::size_t>(rank)]);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Division division;
      division.accessed = sum_of(parts[i]).accessed;
      division.unit_bytes = plan_.domains[i].block;
      division.alignment_bytes =
          facts_.layout.striped() ? facts_.layout.stripe_bytes : facts_.lock_bytes;
      plan_.domains[i] = make_domains(division).front();
    }
    plan_.partitioning = Partitioning::even;
    say("partitioning", name_of(plan_.partitioning), "by ranks: what those of an aggregator touch");
  }

  const CollectiveFacts& facts_;
  const CollectiveHints& hints_;
  Sum sum_;
  CollectivePlan plan_;
};

}  // namespace

std::string_view name_of(CollectiveStrategy strategy) {
  constexpr std::array<std::string_view, 4> kNames{"independent", "local", "two_phase", "gather"};
  return kNames[static_cast<std::size_t>(strategy)];
}

std::string_view name_of(Shuffle shuffle) {
  constexpr std::array<std::string_view, 4> kNames{"two_sided", "one_sided_fence", "one_sided_lock",
                                                   "shared"};
  return kNames[static_cast<std::size_t>(shuffle)];
}

Cycles CollectivePlan::cycles_of(int aggregator, const Layout& layout) const {
  const Domain& domain = domains[static_cast<std::size_t>(aggregator)];
  return {domain, BlockOrder(order, domain, aggregator, layout), sub_buffer_bytes};
}

const Reason* CollectivePlan::reason(std::string_view question) const {
  const Reason* found = nullptr;
  for (const Reason& one : reasons)
    if (one.question == question) found = &one;
  return found;
}

std::string_view settled(const CollectiveFacts& common, const CollectiveHints& hints,
                         bool small_pieces) {
  if (common.topology.ranks == 1) return "there is one rank only";
  if (common.atomic) return "atomic mode: each rank locks its own part";
  if (hints.strategy)
    return *hints.strategy == CollectiveStrategy::independent ? "asked for by hint" : "";
  if (common.page_cache_shared && !small_pieces)
    return "one page cache and no small pieces: not worth asking each other";
  return {};
}

CollectivePlan plan_collective(const CollectiveFacts& facts, const CollectiveHints& hints) {
  return Planner(facts, hints).make();
}

std::vector<CycleCost> cycle_costs(const CollectivePlan& plan, const Layout& layout) {
  std::vector<CycleCost> costs(static_cast<std::size_t>(plan.cycles));
  for (CycleCost& cost : costs) cost.by_server.resize(static_cast<std::size_t>(layout.servers()));
  for (std::size_t i = 0; i < plan.aggregators.size(); ++i) {
    const Cycles cycles = plan.cycles_of(static_cast<int>(i), layout);
    for (std::int64_t c = 0; c < cycles.count(); ++c) {
      for (const Extent& request : cycles.requests(c)) {
        const int server = layout.server_of(request.offset);
        costs[static_cast<std::size_t>(c)].by_server[static_cast<std::size_t>(server)] +=
            layout.cost_of(server);
      }
    }
  }
  for (CycleCost& cost : costs) cost.cost = std::ranges::max(cost.by_server);
  return costs;
}

}  // namespace tributary::plan
