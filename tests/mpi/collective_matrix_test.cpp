// Every combination of partitioning, schedule, shuffle and request order against the byte-by-byte
// model, with small buffers so that there are many cycles, and random numbers of aggregators,
// sub-buffers, stripes and servers. The outcome of each combination goes into a table
// (docs/collective-matrix.md) where TRIBUTARY_MATRIX_DIR says where to put it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "opened_file.hpp"
#include "random.hpp"
#include "scenario.hpp"

namespace tributary::test {
namespace {

constexpr const char* kPartitionings[] = {"even", "aligned", "static_cyclic", "group_cyclic"};
constexpr const char* kSchedules[] = {"none", "comm", "write", "write_comm", "write_comm_2"};
constexpr const char* kShuffles[] = {"two_sided", "one_sided_fence", "one_sided_lock", "shared"};
constexpr const char* kOrders[] = {"logical", "concurrency", "heterogeneity"};

struct Combination {
  std::string partitioning;
  std::string schedule;
  std::string shuffle;
  std::string order;

  std::string name() const {
    return partitioning + "\t" + schedule + "\t" + shuffle + "\t" + order;
  }
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (const char* const partitioning : kPartitionings)
    for (const char* const schedule : kSchedules)
      for (const char* const shuffle : kShuffles)
        for (const char* const order : kOrders)
          all.push_back({partitioning, schedule, shuffle, order});
  return all;
}

OpenedFile::Hints hints_of(const Combination& one, Random& random) {
  return {{"tributary_collective", "two_phase"},
          {"tributary_partitioning", one.partitioning},
          {"tributary_schedule", one.schedule},
          {"tributary_shuffle", one.shuffle},
          {"tributary_order", one.order},
          {"cb_nodes", std::to_string(random.between(1, world_size()))},
          {"cb_buffer_size", std::to_string(random.pick({40, 100, 300, 300, 2000, 20000}))},
          {"tributary_sub_buffers", std::to_string(random.between(0, 4))},
          {"striping_unit", std::to_string(random.pick({0, 1, 13, 64, 500, 4096}))},
          {"tributary_server_costs", random.pick({"5,1,5,1", "1", "3,2,1", "1,1,9,9,1"})}};
}

// Runs the cases of one combination on one open file; how many failed.
int run_combination(const Combination& one, std::int64_t first_seed, std::int64_t cases) {
  Random random(static_cast<std::uint64_t>(first_seed));
  const OpenedFile::Hints hints = hints_of(one, random);
  const OpenedFile file(test_path("matrix"), 0, hints);
  ScenarioSettings settings;
  settings.collective_only = true;
  settings.describe = test_options().verbose;
  int failed = 0;
  for (std::int64_t i = 0; i < cases; ++i) {
    Scenario scenario(settings, MPI_COMM_WORLD, file.get(),
                      static_cast<std::uint64_t>(first_seed + i));
    if (scenario.run()) continue;
    ++failed;
    std::string text = one.name();
    for (const auto& [key, value] : hints) text += "\n" + key + " " + value;
    for (const std::string& failure : scenario.failures()) text += "\n" + failure;
    if (!scenario.failures().empty())
      ADD_FAILURE() << "seed " << first_seed + i << ": " << text << "\n" << scenario.operations();
  }
  const std::string used = file.hint("tributary_collective_used");
  EXPECT_TRUE(world_size() == 1 || used.empty() || used.starts_with("two_phase") ||
              used.starts_with("independent: nobody") || used.starts_with("independent: a view") ||
              used.starts_with("independent: too sparse"))
      << used;
  EXPECT_TRUE(!used.starts_with("two_phase") || used.find(one.shuffle) != std::string::npos)
      << used;
  return failed;
}

void write_table(const std::map<std::string, std::pair<std::int64_t, int>>& rows) {
  const char* const directory = std::getenv("TRIBUTARY_MATRIX_DIR");
  if (directory == nullptr || world_rank() != 0) return;
#ifdef MPICH_VERSION
  const std::string mpi = "mpich";
#else
  const std::string mpi = "openmpi";
#endif
  std::ofstream table(std::string(directory) + "/" + mpi + ".n" + std::to_string(world_size()) +
                      ".tsv");
  for (const auto& [name, row] : rows)
    table << name << "\t" << row.first << "\t" << row.second << "\n";
}

TEST(CollectiveMatrix, EveryCombinationAgainstTheModel) {
  std::map<std::string, std::pair<std::int64_t, int>> rows;
  std::int64_t seed = test_options().seed;
  int failed = 0;
  for (const Combination& one : all_combinations()) {
    const std::int64_t cases = test_options().cases;
    const int bad = failed > 3 ? 0 : run_combination(one, seed, cases);
    rows[one.name()] = {cases, bad};
    seed += cases;
    failed += bad;
  }
  write_table(rows);
}

}  // namespace
}  // namespace tributary::test
