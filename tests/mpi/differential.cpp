// The same random scenarios with whatever MPI-IO the process has: the MPI's own, or Tributary when
// it is preloaded. Linked with the MPI alone. Leaves in --dir for every seed
//   <seed>.file      what was written
//   <seed>.<rank>    a checksum of all that was read, and what the model found wrong, if anything
// tests/support/differential.sh runs it both ways and compares the folders.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "leak_check.hpp"
#include "mpi_test.hpp"
#include "scenario.hpp"
#include "watchdog.hpp"

namespace tributary::test {
namespace {

struct Options {
  std::int64_t seed = 1;
  std::int64_t cases = 100;
  std::string directory = ".";
};

Options take_options(int count, char** values) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    if (name == "--seed") options.seed = std::atoll(values[i + 1]);
    if (name == "--cases") options.cases = std::atoll(values[i + 1]);
    if (name == "--dir") options.directory = values[i + 1];
  }
  return options;
}

// Which library answers MPI_File_open.
std::string provider() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "MPI_File_open");
  return symbol != nullptr && dladdr(symbol, &info) != 0 ? info.dli_fname : "unknown";
}

void write_verdict(const std::string& path, const Scenario& scenario) {
  std::ofstream out(path);
  out << "read " << std::hex << scenario.read_checksum() << "\n";
  for (const std::string& failure : scenario.failures()) out << "WRONG " << failure << "\n";
}

void run_case(const Options& options, std::int64_t seed, int rank) {
  const std::string base = options.directory + "/" + std::to_string(seed);
  const std::string path = base + ".file";
  ScenarioFile file;
  MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file.handle);
  if (rank == 0) file.posix = ::open(path.c_str(), O_RDONLY);
  ScenarioSettings settings = ScenarioSettings::for_stock();
  settings.far_offsets = false;  // comparing gigabytes of nothing takes its time
  Scenario scenario(settings, MPI_COMM_WORLD, file, static_cast<std::uint64_t>(seed));
  scenario.run();
  write_verdict(base + "." + std::to_string(rank), scenario);
  if (file.posix >= 0) ::close(file.posix);
  MPI_File_close(&file.handle);
}

}  // namespace
}  // namespace tributary::test

int main(int argc, char** argv) {
  using namespace tributary::test;
  initialize_mpi(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Options options = take_options(argc, argv);
  if (rank == 0) std::printf("MPI-IO of %s\n", provider().c_str());
  {
    const Watchdog watchdog(60, rank);
    for (std::int64_t i = 0; i < options.cases; ++i) run_case(options, options.seed + i, rank);
  }
  finalize_mpi();
  return 0;
}
