// tributary explain: the plan of a collective access, with the reasons.
#pragma once

#include <CLI/CLI.hpp>

namespace tributary::tools {

// Adds the subcommand; when it is run, `exit_code` is 0 or, for bad input, 2.
void add_explain(CLI::App& app, int& exit_code);

}  // namespace tributary::tools
