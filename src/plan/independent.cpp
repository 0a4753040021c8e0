#include "plan/independent.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tributary::plan {
namespace {

// Costs in nanoseconds, as orders of magnitude (docs/performance.md says how measured); what
// depends on the file system comes with the facts.
constexpr ByteCount kPage = 4096;
constexpr std::int64_t kReadPage = 600;         // a page of a window, read and picked from
constexpr std::int64_t kRewritePage = 900;      // a page of a window, read and written back
constexpr ByteCount kLargePiece = 32768;        // from here on a call of its own always pays
constexpr ByteCount kLargeMemoryPiece = 16384;  // from here on an iovec entry beats a copy

struct Candidate {
  Strategy strategy;
  std::string_view reason;
};

bool file_contiguous(const IndependentFacts& facts) {
  return facts.span.length == facts.bytes;
}

std::int64_t runs_of(const IndependentFacts& facts) {
  return std::max<std::int64_t>(facts.bytes / std::max<ByteCount>(facts.file_mean_run, 1), 1);
}

// Mean number of unwanted bytes between two runs of the view.
ByteCount mean_gap(const IndependentFacts& facts) {
  return (facts.span.length - facts.bytes) / runs_of(facts);
}

std::int64_t cost_of_calls(const IndependentFacts& facts) {
  return runs_of(facts) * facts.call_ns + facts.bytes / 4;
}

// Windows pay for the pages between the pieces; over wide gaps there is nothing to bridge, and
// a window would be one piece.
std::int64_t cost_of_windows(const IndependentFacts& facts, const IndependentHints& hints,
                             std::int64_t page_ns) {
  if (mean_gap(facts) > hints.sieve_gap) return std::numeric_limits<std::int64_t>::max();
  return (facts.span.length / kPage + 1) * page_ns;
}

bool may_map(const IndependentFacts& facts, const IndependentHints& hints) {
  return facts.direction == Direction::write && facts.mappings_coherent && facts.ascending &&
         hints.map_files != Choice::disable;
}

// Read-modify-write puts back bytes that are not ours: only where every writer locks.
bool may_rewrite(const IndependentFacts& facts, const IndependentHints& hints) {
  return facts.direction == Direction::write && facts.readable && facts.ascending &&
         facts.writers_lock && hints.sieve_writes != Choice::disable;
}

bool may_sieve(const IndependentFacts& facts, const IndependentHints& hints) {
  return facts.direction == Direction::read && facts.ascending &&
         hints.sieve_reads != Choice::disable;
}

bool applicable(Strategy strategy, const IndependentFacts& facts, const IndependentHints& hints) {
  switch (strategy) {
    case Strategy::direct:
      return facts.memory_contiguous && file_contiguous(facts);
    case Strategy::packed:
    case Strategy::list:
      return true;
    case Strategy::sieve:
      return may_sieve(facts, hints);
    case Strategy::rmw:
      return may_rewrite(facts, hints);
    case Strategy::mapped:
      return may_map(facts, hints);
  }
  return false;
}

Candidate choose_contiguous(const IndependentFacts& facts) {
  if (facts.memory_contiguous) return {Strategy::direct, "one run in memory and in the file"};
  if (facts.memory_mean_run >= kLargeMemoryPiece)
    return {Strategy::list, "large pieces in memory, one run in the file"};
  return {Strategy::packed, "small pieces in memory, one run in the file"};
}

Candidate choose_runs(const IndependentFacts& facts) {
  if (facts.memory_contiguous || facts.memory_mean_run >= kLargeMemoryPiece)
    return {Strategy::list, "a call for each piece of the file is cheapest"};
  return {Strategy::packed, "a call for each piece of the file, small pieces in memory"};
}

Candidate choose_scattered_read(const IndependentFacts& facts, const IndependentHints& hints) {
  if (may_sieve(facts, hints) && cost_of_windows(facts, hints, kReadPage) < cost_of_calls(facts))
    return {Strategy::sieve, "small pieces in the file with small gaps"};
  return choose_runs(facts);
}

Candidate choose_scattered_write(const IndependentFacts& facts, const IndependentHints& hints) {
  const std::int64_t calls = cost_of_calls(facts);
  const std::int64_t stores =
      may_map(facts, hints) ? cost_of_windows(facts, hints, facts.store_page_ns) : calls;
  const std::int64_t rewrites =
      may_rewrite(facts, hints) ? cost_of_windows(facts, hints, kRewritePage) : calls;
  if (rewrites < calls && rewrites < stores)
    return {Strategy::rmw, "small pieces in the file, and every writer locks"};
  if (stores < calls) return {Strategy::mapped, "small pieces in the file, mappings are coherent"};
  return choose_runs(facts);
}

Candidate choose_scattered(const IndependentFacts& facts, const IndependentHints& hints) {
  if (!facts.ascending) return {Strategy::packed, "the view steps back: piece by piece"};
  if (facts.file_mean_run >= kLargePiece) return choose_runs(facts);
  return facts.direction == Direction::read ? choose_scattered_read(facts, hints)
                                            : choose_scattered_write(facts, hints);
}

Candidate choose(const IndependentFacts& facts, const IndependentHints& hints) {
  if (!hints.automatic && applicable(hints.forced, facts, hints))
    return {hints.forced, "asked for by hint"};
  return file_contiguous(facts) ? choose_contiguous(facts) : choose_scattered(facts, hints);
}

std::int64_t cost_of(Strategy strategy, const IndependentFacts& facts,
                     const IndependentHints& hints) {
  switch (strategy) {
    case Strategy::sieve:
      return cost_of_windows(facts, hints, kReadPage);
    case Strategy::rmw:
      return cost_of_windows(facts, hints, kRewritePage);
    case Strategy::mapped:
      return cost_of_windows(facts, hints, facts.store_page_ns);
    case Strategy::direct:
    case Strategy::packed:
    case Strategy::list:
      break;
  }
  return file_contiguous(facts) ? facts.call_ns + facts.bytes / 4 : cost_of_calls(facts);
}

Locking locking_of(Strategy strategy, const IndependentFacts& facts) {
  const bool writes = facts.direction == Direction::write;
  if (facts.atomic) return writes ? Locking::span_exclusive : Locking::span_shared;
  if (strategy == Strategy::rmw) return Locking::window_exclusive;
  return writes && facts.writers_lock ? Locking::span_shared : Locking::none;
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  constexpr std::array<std::string_view, 6> kNames{"direct", "packed", "list",
                                                   "sieve",  "rmw",    "mapped"};
  return kNames[static_cast<std::size_t>(strategy)];
}

bool wants_rewriting(const IndependentFacts& view_facts) {
  return view_facts.file_mean_run < kLargePiece &&
         !(view_facts.mappings_coherent && view_facts.store_page_ns < kRewritePage);
}

bool small_pieces(ByteCount mean_run) {
  return mean_run < kLargePiece;
}

IndependentPlan plan_independent(const IndependentFacts& facts, const IndependentHints& hints) {
  const Candidate chosen = choose(facts, hints);
  IndependentPlan plan;
  plan.strategy = chosen.strategy;
  plan.reason = chosen.reason;
  plan.buffer_bytes = std::max<ByteCount>(
      facts.direction == Direction::read ? hints.read_buffer_bytes : hints.write_buffer_bytes, 1);
  plan.gap_bytes = hints.sieve_gap;
  plan.locking = locking_of(plan.strategy, facts);
  plan.cost_ns = cost_of(plan.strategy, facts, hints);
  return plan;
}

}  // namespace tributary::plan
