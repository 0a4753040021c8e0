// A job as its file tells it (docs/explain.md has the format): ranks and nodes, what they access,
// where the file lies, hints. It becomes the planner's facts; no MPI, no file but the job's own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "plan/collective.hpp"

namespace tributary::tools {

struct Job {  // NOLINT(bugprone-exception-escape): moving json checks an invariant that holds
  nlohmann::json document;  // the file as it was read
  std::string description;
  std::string access;  // in a few words
  bool local_file_system = true;
  bool writers_lock = false;  // of ranks that write for themselves, see decision 0002
  std::vector<std::pair<std::string, std::string>> given_hints;
  plan::CollectiveFacts facts;
  plan::CollectiveHints hints;
  std::vector<std::string> warnings;
};

// `more_hints` are "key=value", and override those of the file. An error names the file and the
// place in it.
Result<Job> read_job(const std::string& path, const std::vector<std::string>& more_hints);

}  // namespace tributary::tools
