// Random scenarios against the byte-by-byte model (scenario.hpp).
//   mpirun -n 2 test_property_<mpi> --seed 1 --cases 100000 --dir /dev/shm
// A failure prints its seed; `--seed S --cases 1` replays it, `--verbose` shows every operation.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "mpi_test.hpp"
#include "opened_file.hpp"
#include "scenario.hpp"

namespace tributary::test {
namespace {

constexpr std::int64_t cases_per_open = 16;
constexpr int failures_max = 5;

struct Totals {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
  int failures = 0;
  std::map<std::string, int> strategies;  // of the last access of every fourth case
};

void report(const Scenario& scenario, std::int64_t seed, std::int64_t opened_at) {
  std::string failures;
  for (const std::string& failure : scenario.failures()) failures += failure + "\n";
  if (!failures.empty()) {
    ADD_FAILURE() << "seed " << seed << ", " << world_size() << " ranks: " << failures
                  << "replay with --seed " << seed << " --cases 1; if that passes, with --seed "
                  << opened_at << " --cases " << seed - opened_at + 1
                  << "\noperations of this rank:\n"
                  << scenario.operations();
  }
}

// The case once more, saying what it does, with all datatypes spelt out.
void repeat_verbosely(ScenarioSettings settings, const OpenedFile& file, std::int64_t seed) {
  settings.describe = true;
  if (world_rank() == 0) std::fprintf(stderr, "seed %lld again:\n", static_cast<long long>(seed));
  Scenario again(settings, MPI_COMM_WORLD, file.get(), static_cast<std::uint64_t>(seed));
  if (again.run() && world_rank() == 0) std::fprintf(stderr, "this time it passed\n");
}

void run_cases_of_one_open(const ScenarioSettings& settings, std::int64_t first, std::int64_t last,
                           Totals& totals) {
  const bool unique = first / cases_per_open % 2 == 1;
  const OpenedFile file(test_path("property"), unique ? MPI_MODE_UNIQUE_OPEN : 0);
  for (std::int64_t seed = first; seed < last && totals.failures < failures_max; ++seed) {
    Scenario scenario(settings, MPI_COMM_WORLD, file.get(), static_cast<std::uint64_t>(seed));
    const bool good = scenario.run();
    totals.operations += scenario.counts().operations;
    totals.bytes += scenario.counts().bytes;
    if (seed % 4 == 0) {
      const std::string strategy = file.hint("tributary_strategy_used");
      ++totals.strategies[strategy.substr(0, strategy.find(':'))];
    }
    if (good) continue;
    ++totals.failures;
    report(scenario, seed, first);
    if (totals.failures == 1 && !settings.describe) repeat_verbosely(settings, file, seed);
  }
}

ScenarioSettings chosen_settings() {
  const TestOptions& options = test_options();
  ScenarioSettings settings = options.stock ? ScenarioSettings::for_stock() : ScenarioSettings();
  settings.describe = options.verbose;
  std::istringstream names(options.without);
  for (std::string name; std::getline(names, name, ',');) {
    EXPECT_TRUE(settings.leave_out(name)) << "--without " << name << ": not known";
  }
  return settings;
}

// A configuration that asks for a strategy and never gets it tests nothing.
void expect_asked_strategy(const Totals& totals) {
  const char* const path = std::getenv("TRIBUTARY_HINTS_FILE");
  std::ifstream hints(path != nullptr ? path : "/dev/null");
  std::string key;
  std::string value;
  while (hints >> key >> value) {
    if (key == "tributary_strategy") {
      EXPECT_TRUE(totals.strategies.contains(value)) << value << " was never used";
    }
  }
}

void print_totals(const Totals& totals, std::int64_t cases, double seconds) {
  std::printf("%lld cases from seed %lld: %lld operations and %lld KiB on rank 0, %.0f cases/s\n",
              static_cast<long long>(cases), static_cast<long long>(test_options().seed),
              static_cast<long long>(totals.operations),
              static_cast<long long>(totals.bytes / 1024), static_cast<double>(cases) / seconds);
  for (const auto& [name, count] : totals.strategies) {
    if (!name.empty()) std::printf("last strategy %s: %d cases\n", name.c_str(), count);
  }
}

TEST(Property, RandomScenarios) {
  const TestOptions& options = test_options();
  const ScenarioSettings settings = chosen_settings();
  Totals totals;
  const double start = MPI_Wtime();
  const std::int64_t end = options.seed + options.cases;
  std::int64_t seed = options.seed;
  while (seed < end && totals.failures < failures_max) {
    // Files are opened at the same seeds whatever the first one is, so that replays are alike.
    const std::int64_t last = std::min(end, (seed / cases_per_open + 1) * cases_per_open);
    run_cases_of_one_open(settings, seed, last, totals);
    seed = last;
  }
  if (totals.failures == 0 && seed - options.seed >= 100) expect_asked_strategy(totals);
  if (world_rank() == 0) print_totals(totals, seed - options.seed, MPI_Wtime() - start);
}

}  // namespace
}  // namespace tributary::test
