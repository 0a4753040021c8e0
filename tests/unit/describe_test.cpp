// Plans as text and JSON: what is said, what is left out, and that it is the planner's plan.
#include "plan/describe.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "plan/describe_parts.hpp"
#include "plan_case.hpp"

namespace tributary::plan {
namespace {

using nlohmann::json;

// `aggregators` ranks on nodes of four, each with the same part of the file.
Case large_example(int aggregators, ByteCount bytes_each) {
  Case result;
  result.facts.layout = {1 << 20, std::vector<int>(32, 0), {{"ost", 1}}};
  Topology& topology = result.facts.topology;
  topology.ranks = aggregators;
  for (int rank = 0; rank < aggregators; ++rank) {
    topology.node_of_rank.push_back(rank / 4);
    result.facts.ranks.push_back({{rank * bytes_each, bytes_each}, bytes_each, bytes_each});
  }
  result.hints.strategy = CollectiveStrategy::two_phase;
  result.hints.partitioning = Partitioning::aligned;
  result.hints.aggregators.count = aggregators;
  result.hints.buffer_bytes = 4 << 20;
  return result;
}

std::string text_of(const Case& one, const Detail& detail = {}) {
  return to_text(one.plan(), one.facts.layout, one.facts.topology, detail);
}

json json_of(const Case& one, const Detail& detail = {}) {
  return to_json(one.plan(), one.facts.layout, one.facts.topology, detail);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DescribeJson, SaysWhatThePlanSays) {
  const json plan = json_of(hacio_example());
  EXPECT_EQ(plan["schema"], "tributary-plan-1");
  EXPECT_EQ(plan["direction"], "write");
  EXPECT_EQ(plan["strategy"], "two_phase");
  EXPECT_EQ(plan["partitioning"], "even");
  EXPECT_EQ(plan["schedule"], "none");
  EXPECT_EQ(plan["order"], "heterogeneity");
  EXPECT_EQ(plan["two_level"], false);
  EXPECT_EQ(plan["sub_buffers"], 1);
  EXPECT_EQ(plan["sub_buffer_bytes"], 64);
  EXPECT_EQ(plan["cycles"], 4);
  EXPECT_EQ(plan["accessed"], (json{{"offset", 0}, {"length", 512}}));
  EXPECT_EQ(plan["layout"]["class_of_server"], (json{0, 1, 0, 1}));
  ASSERT_EQ(plan["reasons"][0]["question"], "strategy");
  EXPECT_EQ(plan["reasons"][0]["chosen"], "two_phase");
  EXPECT_EQ(plan["reasons"][0]["why"], "asked for by hint");
}

TEST(DescribeJson, AggregatorsRequestsAndSteps) {
  const json plan = json_of(hacio_example());
  ASSERT_EQ(plan["aggregators"].size(), 2U);
  const json& second = plan["aggregators"][1];
  EXPECT_EQ(second["rank"], 1);
  EXPECT_EQ(second["node"], 0);
  EXPECT_EQ(second["cycles"], 4);
  EXPECT_EQ(second["lock"], (json{{"offset", 256}, {"length", 256}}));
  EXPECT_EQ(second["domain"], (json{{"offset", 256},
                                    {"length", 256},
                                    {"block", 64},
                                    {"stride", 64},
                                    {"blocks", 4},
                                    {"bytes", 256}}));
  ASSERT_EQ(plan["requests"].size(), 8U);
  EXPECT_EQ(plan["requests"][4]["aggregator"], 1);
  EXPECT_EQ(plan["requests"][4]["cycle"], 0);
  EXPECT_EQ(plan["requests"][4]["count"], 1);
  EXPECT_EQ(plan["requests"][4]["first"][0],
            (json{{"offset", 6 * 64}, {"length", 64}, {"server", 2}, {"class", "HServer"}}));
  EXPECT_EQ(plan["program"]["steps"], 16);
  EXPECT_EQ(plan["program"]["first"][2],
            (json{{"operation", "post_io"}, {"cycle", 0}, {"sub_buffer", 0}}));
}

TEST(DescribeJson, CostsByCycle) {
  const json cost = json_of(hacio_example(), {.cycles = 2})["cost"];
  EXPECT_EQ(cost["cycles"], 4);
  EXPECT_EQ(cost["sum"], 12);
  EXPECT_EQ(cost["max"], 5);
  ASSERT_EQ(cost["first"].size(), 2U);
  EXPECT_EQ(cost["first"][0]["by_server"], (json{5, 0, 5, 0}));
  EXPECT_EQ(cost["first"][0]["cost"], 5);
}

TEST(DescribeJson, WhatIsNotDecidedIsNull) {
  Case one = hacio_example();
  one.hints.strategy = CollectiveStrategy::independent;
  const json plan = json_of(one);
  EXPECT_EQ(plan["strategy"], "independent");
  for (const char* field : {"partitioning", "schedule", "order", "shuffle", "two_level",
                            "sub_buffers", "sub_buffer_bytes", "cycles", "cost", "program"}) {
    ASSERT_TRUE(plan.contains(field)) << field;
    EXPECT_TRUE(plan[field].is_null()) << field;
  }
  EXPECT_TRUE(plan["aggregators"].empty());
}

TEST(DescribeText, ALineForEachChoiceWithItsReason) {
  const std::string text = text_of(hacio_example());
  EXPECT_TRUE(contains(text, "  strategy      two_phase      asked for by hint\n")) << text;
  EXPECT_TRUE(contains(text, "  aggregators   2              asked for by cb_nodes\n")) << text;
  EXPECT_TRUE(contains(text, "  order         heterogeneity  servers are not equally fast\n"))
      << text;
}

TEST(DescribeText, RequestsWithServerAndClass) {
  const std::string text = text_of(hacio_example());
  EXPECT_TRUE(contains(text, "  1      0  2 HServer: 64 B at 384 B\n")) << text;
}

TEST(DescribeText, TheTimelineOfTheSchedule) {
  Case one = hacio_example();
  EXPECT_TRUE(contains(text_of(one), "      1       0      xxWW\n")) << text_of(one);
  one.facts.direction = Direction::read;
  EXPECT_TRUE(contains(text_of(one), "      1       0      RRxx\n")) << text_of(one);
  one.facts.direction = Direction::write;
  one.hints.schedule = Schedule::write_comm_2;
  one.hints.buffer_bytes = 128;
  EXPECT_TRUE(contains(text_of(one),
                       "      0       0  xxxWWWW\n"
                       "      1       1   xxxxWWWW\n"))
      << text_of(one);
}

TEST(DescribeText, TheMiddleOfManyAggregatorsIsLeftOut) {
  const std::string all = text_of(large_example(16, 1 << 20));
  const std::string table = all.substr(0, all.find("Requests"));
  EXPECT_FALSE(contains(table, "more aggregator")) << table;
  const std::string some = text_of(large_example(40, 1 << 20));
  EXPECT_TRUE(contains(some, "  ... 24 more aggregators ...\n")) << some;
  EXPECT_TRUE(contains(some, "\n   7    28     7        [7 MiB, 8 MiB)")) << some;
  EXPECT_FALSE(contains(some, "[8 MiB, 9 MiB)")) << some;
  EXPECT_TRUE(contains(some, "\n  32    11     2      [32 MiB, 33 MiB)")) << some;
}

TEST(DescribeText, ManyServersAndCyclesAreLeftOut) {
  const std::string text = text_of(large_example(2, 100 << 20), {.cycles = 3});
  EXPECT_TRUE(contains(text, "  0    1    2    3  ...   28   29   30   31  cost\n")) << text;
  EXPECT_TRUE(contains(text, "  ... 22 more cycles ...\n")) << text;
  EXPECT_TRUE(contains(text, "Requests in the first 3 of 25 cycles\n")) << text;
  EXPECT_TRUE(contains(text, "and 2 more\n")) << text;
}

TEST(DescribeText, OrdersSideBySide) {
  const Case one = hacio_example();
  std::vector<CollectivePlan> plans;
  for (const RequestOrder order :
       {RequestOrder::logical, RequestOrder::concurrency, RequestOrder::heterogeneity}) {
    Case ordered = one;
    ordered.hints.order = order;
    plans.push_back(ordered.plan());
  }
  const std::string text = orders_to_text(plans, one.facts.layout);
  const std::size_t sums = text.rfind('\n', text.size() - 2);
  std::istringstream line(text.substr(sums));
  std::string word;
  std::string words;
  while (line >> word) words += word + " ";
  EXPECT_EQ(words, "sum 24 sum 20 sum 12 ") << text;
  const json orders = orders_to_json(plans, one.facts.layout);
  EXPECT_EQ(orders["logical"]["cost"]["sum"], 24);
  EXPECT_EQ(orders["concurrency"]["cost"]["sum"], 20);
  EXPECT_EQ(orders["heterogeneity"]["cost"]["sum"], 12);
}

TEST(DescribeText, ExactBytes) {
  EXPECT_EQ(exact_bytes(0), "0");
  EXPECT_EQ(exact_bytes(1023), "1023 B");
  EXPECT_EQ(exact_bytes(1536), "1536 B");
  EXPECT_EQ(exact_bytes(65536), "64 KiB");
  EXPECT_EQ(exact_bytes(ByteCount{3} << 40), "3 TiB");
}

// --- excerpts of what is long are excerpts of the whole -------------------------------------

TEST(DescribeParts, CostsAreThoseOfThePlanner) {
  for (const RequestOrder order :
       {RequestOrder::logical, RequestOrder::concurrency, RequestOrder::heterogeneity}) {
    Case one = large_example(3, 7 << 20);
    one.facts.layout = {1 << 20, {0, 1, 1, 0, 2}, {{"a", 3}, {"b", 1}, {"c", 2.5}}};
    one.hints.order = order;
    const CollectivePlan plan = one.plan();
    const std::vector<CycleCost> all = cycle_costs(plan, one.facts.layout);
    const CostSummary summary = summarise_costs(plan, one.facts.layout, 1000);
    ASSERT_EQ(summary.first.size(), all.size());
    double sum = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      EXPECT_EQ(summary.first[c].by_server, all[c].by_server);
      EXPECT_EQ(summary.first[c].cost, all[c].cost);
      sum += all[c].cost;
    }
    EXPECT_EQ(summary.sum, sum);
  }
}

TEST(DescribeParts, FirstStepsAreThoseOfTheWholeProgram) {
  CollectivePlan plan;
  for (const Schedule schedule : {Schedule::none, Schedule::comm, Schedule::write,
                                  Schedule::write_comm, Schedule::write_comm_2}) {
    for (const Direction direction : {Direction::write, Direction::read}) {
      for (plan.sub_buffers = 1; plan.sub_buffers <= 5; ++plan.sub_buffers) {
        for (plan.cycles = 0; plan.cycles <= 60; ++plan.cycles) {
          plan.schedule = schedule;
          plan.direction = direction;
          Program whole = plan.program();
          EXPECT_EQ(whole.size(), step_count(plan));
          whole.resize(std::min<std::size_t>(whole.size(), 10));
          ASSERT_EQ(first_steps(plan, 10), whole)
              << name_of(schedule) << " " << plan.sub_buffers << " " << plan.cycles;
        }
      }
    }
  }
}

// An exabyte in small pieces: the description must come at once, and say what it does not say.
TEST(DescribeParts, HugePlansAreNotGoneThrough) {
  const Case one = large_example(4, ByteCount{1} << 58);
  const CollectivePlan plan = one.plan();
  ASSERT_TRUE(plan.shuffles());
  const CostSummary summary = summarise_costs(plan, one.facts.layout, 5);
  EXPECT_EQ(summary.first.size(), 5U);
  EXPECT_FALSE(summary.sum.has_value());
  EXPECT_TRUE(contains(text_of(one), "sum")) << text_of(one);
  EXPECT_TRUE(contains(text_of(one), "not counted")) << text_of(one);
  EXPECT_TRUE(json_of(one)["cost"]["sum"].is_null());
}

TEST(DescribeParts, AnExcerptIsTheFirstAndTheLast) {
  const Excerpt all(5, 5);
  EXPECT_EQ(all.shown, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(all.left_out, 0U);
  const Excerpt some(9, 5);
  EXPECT_EQ(some.shown, (std::vector<std::size_t>{0, 1, 2, 7, 8}));
  EXPECT_EQ(some.head, 3U);
  EXPECT_EQ(some.left_out, 4U);
  EXPECT_TRUE(Excerpt(3, 0).shown.empty());
}

}  // namespace
}  // namespace tributary::plan
