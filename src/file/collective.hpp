// The collective engine of one open file: what its ranks know of each other (nodes, views, memory
// for the shuffle), and from a collective call to a plan and its execution.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "exchange/arena.hpp"
#include "exchange/nodes.hpp"
#include "exchange/views.hpp"
#include "execute/collective.hpp"
#include "file/team.hpp"
#include "plan/collective.hpp"

namespace tributary::file {

// What this rank brings to a collective access.
struct Contribution {
  Status status;  // an error: this rank only takes part in the agreement
  const view::Tree* view = nullptr;
  execute::Access access;
  Extent span;
  ByteCount mean_run = 1;
  bool ascending = true;
  FileOffset file_size = 0;
};

class Collective {
 public:
  explicit Collective(const Team& team) : team_(team) {}

  void forget_views() { views_.reset(); }

  // Facts that do not depend on the ranks' access; the root's count for all.
  struct Setting {
    plan::Layout layout;
    plan::IndependentFacts storage;
    ByteCount lock_bytes = 4096;
    bool page_cache_shared = false;
    bool atomic = false;
  };
  // Collective. Each rank's own part is done by `alone`; an aggregator's by `mover`. Every rank
  // returns the same outcome; `moved` is this rank's own.
  struct Work {
    const Contribution* mine = nullptr;
    const Setting* setting = nullptr;
    const plan::CollectiveHints* hints = nullptr;
    std::function<Status(ByteCount&)> alone;
    execute::CollectiveRun::Mover mover;
  };
  Status run(const Work& work, ByteCount& moved);

  // For MPI_File_get_info: how the last collective access was done, and why.
  std::string description() const;
  std::string aggregator_list() const;
  ByteCount metadata_bytes() const { return metadata_bytes_; }

 private:
  struct Summary;
  struct StorageWords;
  Result<std::vector<Summary>> gather(const Work& work);
  Status know_nodes(const Setting& setting);
  Status know_views(const view::Tree& mine);
  plan::CollectivePlan plan_for(const Work& work, const std::vector<Summary>& ranks,
                                FileOffset end);
  Status ready_arena(plan::CollectivePlan& plan, const Work& work,
                     const std::vector<Summary>& ranks, FileOffset end);
  Status shuffle(const Work& work, const plan::CollectivePlan& plan,
                 const std::vector<Summary>& ranks, FileOffset end, ByteCount& moved);

  const Team& team_;
  std::unique_ptr<exchange::Nodes> nodes_;
  std::unique_ptr<exchange::Arena> arena_;
  std::optional<exchange::Views> views_;
  std::optional<Setting> setting_;  // of the root
  bool windows_fail_ = false;
  plan::CollectivePlan last_;
  ByteCount metadata_bytes_ = 0;
};

}  // namespace tributary::file
