// What every MPI test may use of its main program (mpi_main.cpp).
#pragma once

#include <cstdint>
#include <string>

namespace tributary::test {

// From the command line: --seed S --cases N --dir D --without a,b --verbose --stock --watchdog
// SECONDS. A test sees what is left after GoogleTest took its own options.
struct TestOptions {
  std::int64_t seed = 1;
  std::int64_t cases = 300;
  std::string directory = ".";
  std::string without;  // what a random test leaves out, separated by commas
  bool verbose = false;
  bool stock =
      false;  // the MPI's own MPI-IO is under test: leave out what it is known to get wrong
  int watchdog_seconds = 60;
};

const TestOptions& test_options();
int world_rank();
int world_size();

// True on every rank if it is true on every rank. Collective.
bool all_agree(bool mine);

// A path in the test's directory, the same on every rank.
std::string test_path(const std::string& name);

// Says that the test is alive, and where it is. A rank that says nothing for `watchdog_seconds`
// prints its last note and its stack, and ends the job.
void watchdog_note(const char* what, std::int64_t number = 0, std::int64_t detail = 0);

}  // namespace tributary::test
