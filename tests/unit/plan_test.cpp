// The choice of a strategy, and that nothing unsafe is ever chosen.
#include <gtest/gtest.h>

#include <random>

#include "plan/independent.hpp"

namespace tributary::plan {
namespace {

IndependentHints default_hints() {
  IndependentHints hints;
  hints.read_buffer_bytes = 4 << 20;
  hints.write_buffer_bytes = 512 << 10;
  hints.sieve_gap = 8192;
  return hints;
}

// 16-byte pieces with 16-byte gaps in the file, one run in memory.
IndependentFacts strided_file(Direction direction) {
  IndependentFacts facts;
  facts.direction = direction;
  facts.bytes = 1 << 20;
  facts.memory_contiguous = true;
  facts.memory_mean_run = facts.bytes;
  facts.span = {0, 2 << 20};
  facts.file_mean_run = 16;
  facts.mappings_coherent = true;
  return facts;
}

Strategy chosen(const IndependentFacts& facts, const IndependentHints& hints = default_hints()) {
  const IndependentPlan plan = plan_independent(facts, hints);
  EXPECT_FALSE(plan.reason.empty());
  return plan.strategy;
}

TEST(IndependentPlan, ContiguousBothWaysIsDirect) {
  IndependentFacts facts = strided_file(Direction::write);
  facts.span.length = facts.bytes;
  EXPECT_EQ(chosen(facts), Strategy::direct);
  facts.memory_contiguous = false;
  facts.memory_mean_run = 16;
  EXPECT_EQ(chosen(facts), Strategy::packed);
  facts.memory_mean_run = 1 << 20;
  EXPECT_EQ(chosen(facts), Strategy::list);
}

TEST(IndependentPlan, SmallPiecesInTheFile) {
  EXPECT_EQ(chosen(strided_file(Direction::read)), Strategy::sieve);
  EXPECT_EQ(chosen(strided_file(Direction::write)), Strategy::mapped);
  IndependentFacts remote = strided_file(Direction::write);
  remote.mappings_coherent = false;
  EXPECT_EQ(chosen(remote), Strategy::list);
}

TEST(IndependentPlan, LargePiecesAreCallsOfTheirOwn) {
  IndependentFacts facts = strided_file(Direction::read);
  facts.file_mean_run = 64 << 10;
  EXPECT_EQ(chosen(facts), Strategy::list);
  facts.direction = Direction::write;
  EXPECT_EQ(chosen(facts), Strategy::list);
}

TEST(IndependentPlan, FarApartPiecesAreNotSieved) {
  IndependentFacts facts = strided_file(Direction::read);
  facts.span.length = facts.bytes / 16 * (1 << 20);
  EXPECT_EQ(chosen(facts), Strategy::list);
}

TEST(IndependentPlan, RewritingNeedsEveryWriterToLock) {
  IndependentFacts facts = strided_file(Direction::write);
  facts.mappings_coherent = false;
  EXPECT_TRUE(wants_rewriting(facts));
  EXPECT_NE(chosen(facts), Strategy::rmw);
  facts.writers_lock = true;
  const IndependentPlan plan = plan_independent(facts, default_hints());
  EXPECT_EQ(plan.strategy, Strategy::rmw);
  EXPECT_EQ(plan.locking, Locking::window_exclusive);
  // Writes that rewrite nothing lock too: else they could be undone.
  facts.span.length = facts.bytes;
  EXPECT_EQ(plan_independent(facts, default_hints()).locking, Locking::span_shared);
  IndependentHints hints = default_hints();
  hints.sieve_writes = Choice::disable;
  facts.span.length = 2 * facts.bytes;
  EXPECT_NE(chosen(facts, hints), Strategy::rmw);
}

TEST(IndependentPlan, WhereStoresAreDearPagesAreRewritten) {
  IndependentFacts facts = strided_file(Direction::write);
  facts.writers_lock = true;
  facts.store_page_ns = 250;
  EXPECT_EQ(chosen(facts), Strategy::mapped);
  EXPECT_FALSE(wants_rewriting(facts));
  facts.store_page_ns = 6000;
  EXPECT_EQ(chosen(facts), Strategy::rmw);
  EXPECT_TRUE(wants_rewriting(facts));
}

TEST(IndependentPlan, AForcedStrategyIsTakenOnlyWhereItIsSafe) {
  IndependentHints hints = default_hints();
  hints.automatic = false;
  hints.forced = Strategy::mapped;
  EXPECT_EQ(chosen(strided_file(Direction::write), hints), Strategy::mapped);
  EXPECT_NE(chosen(strided_file(Direction::read), hints), Strategy::mapped);
  hints.map_files = Choice::disable;
  EXPECT_NE(chosen(strided_file(Direction::write), hints), Strategy::mapped);
  hints.forced = Strategy::direct;
  EXPECT_NE(chosen(strided_file(Direction::write), hints), Strategy::direct);
}

TEST(IndependentPlanProperty, NothingUnsafeIsEverChosen) {
  std::mt19937_64 random(7);
  const auto coin = [&] { return (random() & 1) != 0; };
  for (int i = 0; i < 20000; ++i) {
    IndependentFacts facts = strided_file(coin() ? Direction::read : Direction::write);
    facts.bytes = static_cast<ByteCount>(random() % 100000 + 1);
    facts.span.length =
        coin() ? facts.bytes : facts.bytes * static_cast<ByteCount>(random() % 99 + 1);
    facts.file_mean_run = static_cast<ByteCount>(random() % 10000 + 1);
    facts.memory_contiguous = coin();
    facts.memory_mean_run = static_cast<ByteCount>(random() % 40000 + 1);
    facts.ascending = coin();
    facts.mappings_coherent = coin();
    facts.readable = coin();
    facts.writers_lock = coin();
    facts.atomic = coin();
    IndependentHints hints = default_hints();
    hints.automatic = coin();
    hints.forced = static_cast<Strategy>(random() % 6);
    hints.sieve_writes = static_cast<Choice>(random() % 3);
    hints.sieve_reads = static_cast<Choice>(random() % 3);
    hints.map_files = static_cast<Choice>(random() % 3);
    const IndependentPlan plan = plan_independent(facts, hints);
    const bool writes = facts.direction == Direction::write;
    if (plan.strategy == Strategy::mapped) {
      EXPECT_TRUE(writes && facts.mappings_coherent && facts.ascending);
    }
    if (plan.strategy == Strategy::rmw) {
      EXPECT_TRUE(writes && facts.readable && facts.ascending && facts.writers_lock);
      EXPECT_EQ(plan.locking, facts.atomic ? Locking::span_exclusive : Locking::window_exclusive);
    }
    if (plan.strategy == Strategy::sieve) {
      EXPECT_TRUE(!writes && facts.ascending);
    }
    if (plan.strategy == Strategy::direct) {
      EXPECT_TRUE(facts.memory_contiguous && facts.span.length == facts.bytes);
    }
    if (writes && facts.writers_lock) {
      EXPECT_NE(plan.locking, Locking::none);
    }
    EXPECT_GT(plan.buffer_bytes, 0);
  }
}

}  // namespace
}  // namespace tributary::plan
