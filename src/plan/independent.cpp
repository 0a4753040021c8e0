#include "plan/independent.hpp"

#include <algorithm>
#include <array>

namespace tributary::plan {
namespace {

// Costs measured on tmpfs and ext4 (docs/performance.md says how): a call costs as much as
// moving a few KiB, a page of a mapping as much as a quarter of that.
constexpr ByteCount kLargePiece = 4096;         // from here on a call of its own pays
constexpr ByteCount kLargeMemoryPiece = 16384;  // from here on an iovec entry beats a copy
constexpr ByteCount kMapGap = 8192;             // mean gap up to which mapping pays

struct Candidate {
  Strategy strategy;
  std::string_view reason;
};

bool file_contiguous(const IndependentFacts& facts) {
  return facts.span.length == facts.bytes;
}

// Mean number of unwanted bytes between two runs of the view.
ByteCount mean_gap(const IndependentFacts& facts) {
  const ByteCount runs =
      std::max<ByteCount>(facts.bytes / std::max<ByteCount>(facts.file_mean_run, 1), 1);
  return (facts.span.length - facts.bytes) / runs;
}

bool may_map(const IndependentFacts& facts, const IndependentHints& hints) {
  return facts.direction == Direction::write && facts.mappings_coherent && facts.ascending &&
         hints.map_files != Choice::disable;
}

// Read-modify-write puts back bytes that are not ours: safe only if nobody else writes the
// file meanwhile, or if every writer of the file locks. The hint makes all of them lock.
bool may_rewrite(const IndependentFacts& facts, const IndependentHints& hints) {
  return facts.direction == Direction::write && facts.readable && facts.ascending &&
         (hints.sieve_writes == Choice::enable ||
          (hints.sieve_writes == Choice::automatic && facts.sole_writer));
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
    return {Strategy::list, "large pieces in the file"};
  return {Strategy::packed, "large pieces in the file, small ones in memory"};
}

Candidate choose_scattered(const IndependentFacts& facts, const IndependentHints& hints) {
  if (facts.file_mean_run >= kLargePiece) return choose_runs(facts);
  if (may_sieve(facts, hints) && mean_gap(facts) <= hints.sieve_gap)
    return {Strategy::sieve, "small pieces in the file with small gaps"};
  if (may_map(facts, hints) && mean_gap(facts) <= kMapGap)
    return {Strategy::mapped, "small pieces in the file, mappings are coherent"};
  if (may_rewrite(facts, hints) &&
      mean_gap(facts) <= std::min(hints.sieve_gap, 8 * facts.file_mean_run))
    return {Strategy::rmw, "small pieces in the file, dense, and rewriting the gaps is safe"};
  if (!facts.ascending) return {Strategy::packed, "the view steps back: piece by piece"};
  return {Strategy::packed, "small pieces far apart, or nothing better is allowed here"};
}

Candidate choose(const IndependentFacts& facts, const IndependentHints& hints) {
  if (!hints.automatic && applicable(hints.forced, facts, hints))
    return {hints.forced, "asked for by hint"};
  return file_contiguous(facts) ? choose_contiguous(facts) : choose_scattered(facts, hints);
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  constexpr std::array<std::string_view, 6> kNames{"direct", "packed", "list",
                                                   "sieve",  "rmw",    "mapped"};
  return kNames[static_cast<std::size_t>(strategy)];
}

IndependentPlan plan_independent(const IndependentFacts& facts, const IndependentHints& hints) {
  const Candidate chosen = choose(facts, hints);
  IndependentPlan plan;
  plan.strategy = chosen.strategy;
  plan.reason = chosen.reason;
  plan.buffer_bytes = std::max<ByteCount>(
      facts.direction == Direction::read ? hints.read_buffer_bytes : hints.write_buffer_bytes, 1);
  plan.gap_bytes = plan.strategy == Strategy::mapped ? kMapGap : hints.sieve_gap;
  plan.lock = facts.direction == Direction::write &&
              (plan.strategy == Strategy::rmw || hints.sieve_writes == Choice::enable);
  return plan;
}

}  // namespace tributary::plan
