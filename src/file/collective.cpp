#include "file/collective.hpp"

#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"
#include "view/count.hpp"

namespace tributary::file {

// A rank's access in a few words: all that travels with a call where views are regular.
struct Collective::Summary {
  std::int64_t failed = 0;
  std::int64_t ascending = 1;
  std::int64_t position = 0;
  std::int64_t bytes = 0;
  std::int64_t first = 0;
  std::int64_t length = 0;
  std::int64_t mean_run = 1;
  std::int64_t file_size = 0;
};

// What the root tells the others of the storage.
struct Collective::StorageWords {
  explicit StorageWords(const Setting& setting)
      : mappings_coherent(setting.storage.mappings_coherent),
        readable(setting.storage.readable),
        call_ns(setting.storage.call_ns),
        store_page_ns(setting.storage.store_page_ns),
        lock_bytes(setting.lock_bytes),
        page_cache_shared(setting.page_cache_shared) {}

  void put_into(Setting& setting) const {
    setting.storage.mappings_coherent = mappings_coherent != 0;
    setting.storage.readable = readable != 0;
    setting.storage.call_ns = call_ns;
    setting.storage.store_page_ns = store_page_ns;
    setting.lock_bytes = lock_bytes;
    setting.page_cache_shared = page_cache_shared != 0;
  }

  std::int64_t mappings_coherent;
  std::int64_t readable;
  std::int64_t call_ns;
  std::int64_t store_page_ns;
  std::int64_t lock_bytes;
  std::int64_t page_cache_shared;
};

namespace {

Error mpi_failure() {
  return {ErrorKind::io, "the MPI failed in a collective access"};
}

}  // namespace

Result<std::vector<Collective::Summary>> Collective::gather(const Work& work) {
  const Contribution& mine = *work.mine;
  const Summary summary{mine.status.ok() ? 0 : 1,
                        mine.ascending ? 1 : 0,
                        mine.access.file.position,
                        mine.status.ok() ? mine.access.bytes : 0,
                        mine.span.offset,
                        mine.span.length,
                        mine.mean_run,
                        mine.file_size};
  std::vector<Summary> all(static_cast<std::size_t>(team_.size()));
  if (PMPI_Allgather(&summary, sizeof summary, MPI_BYTE, all.data(), sizeof summary, MPI_BYTE,
                     team_.comm()) != MPI_SUCCESS)
    return mpi_failure();
  metadata_bytes_ += static_cast<ByteCount>(sizeof summary);
  return all;
}

// Every rank must come to the same plan, so what the planner knows of the storage is the root's.
Status Collective::know_nodes(const Setting& setting) {
  if (nodes_) return {};
  Result<std::unique_ptr<exchange::Nodes>> found = exchange::Nodes::discover(team_.comm());
  if (Status agreed = team_.agree(found.ok() ? Status() : Status(found.error())); !agreed)
    return agreed;
  nodes_ = std::move(*found);
  StorageWords words(setting);
  if (PMPI_Bcast(&words, sizeof words, MPI_BYTE, 0, team_.comm()) != MPI_SUCCESS)
    return mpi_failure();
  setting_ = setting;
  words.put_into(*setting_);
  return {};
}

Status Collective::know_views(const view::Tree& mine) {
  if (views_) return {};
  Result<exchange::Views> found = exchange::exchange_views(team_.comm(), mine);
  if (!found) return found.error();
  metadata_bytes_ += found->sent_bytes;
  views_ = std::move(*found);
  return {};
}

plan::CollectivePlan Collective::plan_for(const Work& work, const std::vector<Summary>& ranks,
                                          FileOffset end) {
  plan::CollectiveFacts facts;
  facts.direction = work.mine->access.direction;
  facts.topology = nodes_->topology();
  facts.layout = work.setting->layout;
  facts.lock_bytes = setting_->lock_bytes;
  facts.page_cache_shared = setting_->page_cache_shared;
  facts.atomic = work.setting->atomic;
  facts.windows_fail = windows_fail_;
  facts.storage = setting_->storage;
  facts.storage.writers_lock = work.setting->storage.writers_lock;  // agreed on with the view
  for (const Summary& rank : ranks) {
    const ByteCount length = std::clamp<ByteCount>(end - rank.first, 0, rank.length);
    facts.ranks.push_back({{rank.first, length}, length > 0 ? rank.bytes : 0, rank.mean_run});
    facts.views_ascending = facts.views_ascending && rank.ascending != 0;
  }
  return plan_collective(facts, *work.hints);
}

// Memory for the sub-buffers. Where the MPI cannot make it, the plan is made again without.
Status Collective::ready_arena(plan::CollectivePlan& plan, const Work& work,
                               const std::vector<Summary>& ranks, FileOffset end) {
  while (!arena_ || !arena_->fits(plan)) {
    arena_.reset();
    Result<std::unique_ptr<exchange::Arena>> made =
        exchange::Arena::make(plan, team_.comm(), *nodes_);
    Status agreed = team_.agree(made.ok() ? Status() : Status(made.error()));
    if (agreed.ok()) {
      arena_ = std::move(*made);
      return {};
    }
    if (plan.shuffle == plan::Shuffle::two_sided) return agreed;
    windows_fail_ = true;
    plan = plan_for(work, ranks, end);
  }
  return {};
}

Status Collective::run(const Work& work, ByteCount& moved) {
  if (Status known = know_nodes(*work.setting); !known) return known;
  const Result<std::vector<Summary>> ranks = gather(work);
  if (!ranks) return ranks.error();
  if (std::ranges::any_of(*ranks, [](const Summary& rank) { return rank.failed != 0; }))
    return team_.agree(work.mine->status);
  const FileOffset end = work.mine->access.direction == Direction::write
                             ? kOffsetLimit
                             : std::ranges::max(*ranks, {}, &Summary::file_size).file_size;
  plan::CollectivePlan plan = plan_for(work, *ranks, end);
  Status status;
  if (plan.shuffles()) {
    if (status = ready_arena(plan, work, *ranks, end); status.ok())
      status = shuffle(work, plan, *ranks, end, moved);
  } else {
    status = team_.agree(work.alone(moved));
  }
  last_ = std::move(plan);
  return status;
}

Status Collective::shuffle(const Work& work, const plan::CollectivePlan& plan,
                           const std::vector<Summary>& ranks, FileOffset end, ByteCount& moved) {
  const execute::Access& access = work.mine->access;
  const view::Tree& tree = *work.mine->view;
  if (Status known = know_views(tree); !known) return known;
  execute::Job job;
  job.plan = &plan;
  job.rank = to_int(team_.rank());
  for (std::size_t i = 0; i < plan.aggregators.size(); ++i) {
    if (plan.aggregators[i] == job.rank) job.aggregator = static_cast<int>(i);
    job.cycles.push_back(plan.cycles_of(static_cast<int>(i), work.setting->layout));
  }
  job.mine = {tree, access.file.position, access.bytes, work.mine->span};
  job.memory = &access.memory;
  std::vector<execute::RankPart> whole;
  whole.reserve(ranks.size());
  for (const Summary& rank : ranks)
    whole.push_back({{}, rank.position, rank.bytes, {rank.first, rank.length}});
  Status filled =
      exchange::fill_parts(job, team_.comm(), *views_, std::move(whole), metadata_bytes_);
  if (!filled) return filled;

  const auto exchange = exchange::make_exchange(job, *arena_, *nodes_, team_.comm());
  execute::CollectiveRun run(job, *exchange, work.mover);
  run.advance(storage::Wait::yes);
  const execute::Outcome outcome = run.outcome();
  std::int64_t ends_before = -std::min(end, outcome.end);
  if (Status agreed = team_.agree_on(outcome.status, {}, {&ends_before, 1}); !agreed) return agreed;
  moved = access.bytes;
  if (access.direction == Direction::read && access.bytes > 0)
    moved = std::clamp<ByteCount>(view::data_before(tree, -ends_before) - access.file.position, 0,
                                  access.bytes);
  return {};
}

std::string Collective::description() const {
  const plan::Reason* const reason = last_.reason("strategy");
  if (reason == nullptr) return {};
  std::string text = std::string(reason->chosen) + ": " + reason->why;
  if (!last_.shuffles()) return text;
  return text + "; " + std::to_string(last_.aggregators.size()) + " aggregators, " +
         std::string(name_of(last_.partitioning)) + ", " + std::string(name_of(last_.schedule)) +
         ", " + std::string(name_of(last_.order)) + ", " + std::string(name_of(last_.shuffle)) +
         ", " + std::to_string(last_.cycles) + " cycles";
}

std::string Collective::aggregator_list() const {
  std::string list;
  for (const int rank : last_.aggregators) {
    if (!list.empty()) list += ' ';
    list += std::to_string(rank);
  }
  return list;
}

}  // namespace tributary::file
