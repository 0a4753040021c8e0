// The program `tributary`: one subcommand, one file. Exit codes: 0 fine, 1 no output could be
// written, 2 bad input or arguments; nothing is printed to stdout unless all went well.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "explain.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"Tools of Tributary, an MPI-IO library", "tributary"};
  app.set_version_flag("--version", "tributary " TRIBUTARY_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  tributary::tools::add_explain(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tributary: %s\n", error.what());
    return 1;
  }
}
