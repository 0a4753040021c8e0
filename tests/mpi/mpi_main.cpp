// The main program of every MPI test: starts MPI and GoogleTest, lets rank 0 report progress and
// every rank its own failures, and ends with one outcome for all ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "leak_check.hpp"
#include "mpi_test.hpp"
#include "watchdog.hpp"

namespace tributary::test {

namespace {

TestOptions options;
int rank_of_world = 0;
int size_of_world = 1;

// Failures of this rank on stderr, with its number; nothing else.
class RankFailurePrinter : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo& info) override {
    name_ = std::string(info.test_suite_name()) + "." + info.name();
    watchdog_note(name_.c_str());
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed() || rank_of_world == 0) return;
    const char* const file = result.file_name() != nullptr ? result.file_name() : "unknown";
    std::fprintf(stderr, "[rank %d] %s: %s:%d: Failure\n%s\n", rank_of_world, name_.c_str(), file,
                 result.line_number(), result.message());
  }

 private:
  std::string name_;
};

// False if there is no such option.
bool take_option(std::string_view name, const char* value) {
  if (name == "--seed") {
    options.seed = std::atoll(value);
  } else if (name == "--cases") {
    options.cases = std::atoll(value);
  } else if (name == "--dir") {
    options.directory = value;
  } else if (name == "--without") {
    options.without = value;
  } else if (name == "--watchdog") {
    options.watchdog_seconds = std::atoi(value);
  } else {
    return false;
  }
  return true;
}

bool take_options(int count, char** values) {
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    if (name == "--verbose") {
      options.verbose = true;
    } else if (name == "--stock") {
      options.stock = true;
    } else if (i + 1 == count || !take_option(name, values[++i])) {
      std::fprintf(stderr,
                   "unknown option or missing value: %.*s\n"
                   "known: --seed --cases --dir --without --watchdog --verbose --stock\n",
                   static_cast<int>(name.size()), name.data());
      return false;
    }
  }
  return true;
}

int run_tests() {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank_of_world != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankFailurePrinter);
  int mine = RUN_ALL_TESTS();
  int any = 0;
  watchdog_note("waiting for the other ranks after the last test");
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any != 0 && mine == 0 && rank_of_world == 0) {
    std::fprintf(stderr, "rank 0 passed, another rank failed\n");
  }
  return any;
}

}  // namespace

const TestOptions& test_options() {
  return options;
}
int world_rank() {
  return rank_of_world;
}
int world_size() {
  return size_of_world;
}

bool all_agree(bool mine) {
  int value = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return value == 1;
}

std::string test_path(const std::string& name) {
  return options.directory + "/" + name;
}

}  // namespace tributary::test

int main(int argc, char** argv) {
  using namespace tributary::test;
  initialize_mpi(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_world);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_world);
  ::testing::InitGoogleTest(&argc, argv);
  int outcome = 2;
  if (take_options(argc, argv)) {
    const Watchdog watchdog(options.watchdog_seconds, rank_of_world);
    outcome = run_tests();
  }
  finalize_mpi();
  return outcome;
}
