#include "explain.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "job.hpp"
#include "plan/describe.hpp"

namespace tributary::tools {
namespace {

using nlohmann::json;
using plan::exact_bytes;

std::string counted(std::int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

struct Options {
  std::string job;
  bool as_json = false;
  bool orders = false;
  plan::Detail detail;
  std::vector<std::string> hints;
};

// What is printed: the plan, and what it was made from.
struct Explained {
  const Job& job;
  plan::CollectivePlan plan;
  std::vector<plan::CollectivePlan> orders;  // where they were asked for
};

bool has_small_pieces(const plan::CollectiveFacts& facts) {
  return std::ranges::any_of(facts.ranks, [](const plan::RankAccess& rank) {
    return rank.bytes < rank.span.length && plan::small_pieces(rank.mean_run);
  });
}

plan::CollectivePlan plan_of(const Job& job) {
  const std::string_view why = plan::settled(job.facts, job.hints, has_small_pieces(job.facts));
  if (why.empty()) return plan::plan_collective(job.facts, job.hints);
  plan::CollectiveHints alone = job.hints;
  alone.strategy = plan::CollectiveStrategy::independent;
  plan::CollectivePlan plan = plan::plan_collective(job.facts, alone);
  plan.reasons.assign(1, {"strategy", plan::name_of(plan.strategy), std::string(why)});
  return plan;
}

std::vector<plan::CollectivePlan> plans_by_order(const Job& job) {
  std::vector<plan::CollectivePlan> plans;
  for (const auto order : {plan::RequestOrder::logical, plan::RequestOrder::concurrency,
                           plan::RequestOrder::heterogeneity}) {
    plan::CollectiveHints hints = job.hints;
    hints.order = order;
    plans.push_back(plan::plan_collective(job.facts, hints));
  }
  return plans;
}

bool has_orders(const Explained& explained) {
  return explained.plan.shuffles() && explained.job.facts.layout.striped();
}

// --- each rank for itself ------------------------------------------------------------------
// Ranks that do their own part in the same way.
struct OwnWay {
  std::size_t ranks = 0;
  std::int64_t cost_ns_max = 0;
};
using Way = std::pair<std::string_view, std::string_view>;  // strategy and reason

std::map<Way, OwnWay> own_ways(const Job& job) {
  std::map<Way, OwnWay> ways;
  for (const plan::RankAccess& rank : job.facts.ranks) {
    if (rank.bytes == 0) continue;
    plan::IndependentFacts facts = job.facts.storage;
    facts.writers_lock = job.writers_lock;
    facts.direction = job.facts.direction;
    facts.bytes = rank.bytes;
    facts.span = rank.span;
    facts.file_mean_run = rank.mean_run;
    const plan::IndependentPlan plan = plan::plan_independent(facts, job.hints.independent);
    OwnWay& way = ways[{plan::name_of(plan.strategy), plan.reason}];
    ++way.ranks;
    way.cost_ns_max = std::max(way.cost_ns_max, plan.cost_ns);
  }
  return ways;
}

std::string own_ways_text(const Job& job) {
  std::string text = "Each rank for itself\n";
  for (const auto& [way, ranks] : own_ways(job))
    text += "  " + std::to_string(ranks.ranks) + " ranks: " + std::string(way.first) + ", " +
            std::string(way.second) + "; at most about " +
            std::to_string(ranks.cost_ns_max / 1000) + " us\n";
  return text;
}

json own_ways_json(const Job& job) {
  json result = json::array();
  for (const auto& [way, ranks] : own_ways(job))
    result.push_back({{"strategy", way.first},
                      {"reason", way.second},
                      {"ranks", ranks.ranks},
                      {"cost_ns_max", ranks.cost_ns_max}});
  return result;
}

// --- the job -------------------------------------------------------------------------------
struct Totals {
  ByteCount bytes = 0;
  std::size_t active = 0;
};

Totals totals_of(const Job& job) {
  Totals totals;
  for (const plan::RankAccess& rank : job.facts.ranks) {
    totals.bytes += rank.bytes;
    totals.active += rank.bytes > 0 ? 1 : 0;
  }
  return totals;
}

std::string storage_text(const Job& job) {
  const plan::Layout& layout = job.facts.layout;
  std::string text = job.local_file_system ? "local" : "remote";
  if (!layout.striped()) return text + ", not striped";
  text += ", stripes of " + exact_bytes(layout.stripe_bytes) + " on";
  for (std::size_t i = 0; i < layout.classes.size(); ++i) {
    const auto count = std::ranges::count(layout.class_of_server, static_cast<int>(i));
    std::array<char, 32> cost{};
    std::snprintf(cost.data(), cost.size(), "%g", layout.classes[i].cost);
    text += (i == 0 ? " " : " and ") + std::to_string(count) + " x " + layout.classes[i].name +
            " (cost " + cost.data() + ")";
  }
  return text;
}

std::string job_text(const Job& job) {
  const plan::Topology& topology = job.facts.topology;
  const Totals totals = totals_of(job);
  std::string text = job.description.empty() ? "" : job.description + "\n\n";
  text += "Job\n  ranks    " + std::to_string(topology.ranks) + " on " +
          counted(topology.nodes(), "node") + " of " + counted(topology.cores_per_node, "core") +
          "\n";
  text += "  access   " + job.access + "\n           " +
          (job.facts.direction == Direction::write ? "write" : "read") + " of " +
          exact_bytes(totals.bytes) + " by " + std::to_string(totals.active) + " ranks\n";
  text += "  storage  " + storage_text(job) + "\n";
  if (!job.given_hints.empty()) text += "  hints   ";
  for (const auto& [key, value] : job.given_hints)
    text.append(" ").append(key).append("=").append(value);
  return text + (job.given_hints.empty() ? "\n" : "\n\n");
}

// --- output --------------------------------------------------------------------------------
std::string text_of(const Explained& explained, const Options& options) {
  const plan::CollectiveFacts& facts = explained.job.facts;
  std::string text = job_text(explained.job);
  text += plan::to_text(explained.plan, facts.layout, facts.topology, options.detail);
  if (!explained.plan.shuffles()) text += "\n" + own_ways_text(explained.job);
  if (!options.orders) return text;
  if (!has_orders(explained))
    return text + "\nRequest orders: nothing to compare where no aggregator writes to stripes\n";
  text += "\n";
  return text + plan::orders_to_text(explained.orders, facts.layout, options.detail);
}

std::string json_of(const Explained& explained, const Options& options) {
  const plan::CollectiveFacts& facts = explained.job.facts;
  json result = plan::to_json(explained.plan, facts.layout, facts.topology, options.detail);
  const Totals totals = totals_of(explained.job);
  result["job"] = explained.job.document;
  result["bytes"] = totals.bytes;
  result["active_ranks"] = totals.active;
  result["hints"] = json::object();
  for (const auto& [key, value] : explained.job.given_hints) result["hints"][key] = value;
  result["independent"] = explained.plan.shuffles() ? json() : own_ways_json(explained.job);
  result["orders"] = options.orders && has_orders(explained)
                         ? plan::orders_to_json(explained.orders, facts.layout, options.detail)
                         : json();
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int run(const Options& options) {
  const Result<Job> job = read_job(options.job, options.hints);
  if (!job.ok()) {
    std::fprintf(stderr, "tributary explain: %s\n", job.error().message.c_str());
    return 2;
  }
  for (const std::string& warning : job->warnings)
    std::fprintf(stderr, "tributary explain: warning: %s\n", warning.c_str());
  Explained explained{*job, plan_of(*job), {}};
  if (options.orders && has_orders(explained)) explained.orders = plans_by_order(*job);
  const std::string output =
      options.as_json ? json_of(explained, options) : text_of(explained, options);
  if (std::fputs(output.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::perror("tributary explain: cannot write the output");
  return 1;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "explain", "Print the plan of a collective access, with the reasons, without running it");
  const auto options = std::make_shared<Options>();
  command->add_option("job", options->job, "Job file (JSON); docs/explain.md has the format")
      ->required();
  command->add_flag("--json", options->as_json, "Print JSON instead of text");
  command->add_flag("--orders", options->orders, "Also print the request orders side by side");
  command->add_option("--cycles", options->detail.cycles, "Cycles to show")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command
      ->add_option("--hint", options->hints,
                   "A hint as key=value, which overrides the job's; may be repeated")
      ->allow_extra_args(false);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace tributary::tools
