// Data access: from the arguments of a call to a plan, and on to execute/.
#include <algorithm>
#include <new>
#include <utility>

#include "execute/independent.hpp"
#include "file/file.hpp"
#include "file/ownership.hpp"
#include "mpi/decode.hpp"
#include "storage/transfer.hpp"
#include "view/build.hpp"
#include "view/cursor.hpp"

namespace tributary::file {
namespace {

// MPI_BOTTOM is the null pointer and comes with absolute addresses; a null buffer with a
// type that starts at address 0 is a mistake.
bool null_buffer(const void* buffer, const view::Tree& tree) {
  constexpr std::int64_t kFirstPage = 4096;
  return buffer == nullptr && !tree.empty() && tree.lower() < kFirstPage;
}

std::byte* at(void* buffer, std::int64_t displacement) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(displacement);
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// The base is moved to the first data byte, so that no pointer is formed outside the buffer.
execute::Memory memory_of(void* buffer, const view::Type& type, std::int64_t count) {
  const bool gapless = count == 1 || type.extent == type.size();
  if (type.tree.is_block() && gapless) return {at(buffer, type.tree.at), true, {}};
  view::Tree tree = view::make_repeated(type, count);
  return {at(buffer, tree.at), false, {std::move(tree.node), 0}};
}

Extent span_of(const execute::Access& access) {
  if (access.bytes == 0) return {};
  const FileOffset first = access.file.first;
  const view::Tree& tree = *access.file.tree;
  if (tree.is_block()) return {first, access.bytes};
  const view::Cursor last(tree, access.file.position + access.bytes - 1);
  if (tree.node->ascending) return {first, last.offset() + 1 - first};
  // A view that steps back: somewhere between the lowest and the highest byte of its tiles.
  return {tree.lower(), tree.upper() - tree.lower()};
}

}  // namespace

Status File::check_call(const Call& call) const {
  if (call.direction == Direction::read && !readable())
    return Error{ErrorKind::access, "cannot read a file that was opened with MPI_MODE_WRONLY"};
  if (call.direction == Direction::write)
    if (Status allowed = require_writable("write to"); !allowed) return allowed;
  if (Status random = refuse_sequential(); !random) return random;
  if (call.count < 0) return Error{ErrorKind::count, "the count is negative"};
  if (call.pointer == Pointer::explicit_offset && call.offset < 0)
    return Error{ErrorKind::argument, "the offset is negative"};
  return {};
}

Status File::prepare(const Call& call, execute::Access& access) const {
  if (Status checked = check_call(call); !checked) return checked;
  const Result<const view::Type*> type = mpi::decode(call.datatype);
  if (!type) return type.error();
  const view::Type& element = **type;
  const view::FileView& view = view_->view;
  const ByteCount etype_size = view.etype_size();
  access.direction = call.direction;
  if (element.size() == 0 || call.count == 0) return {};
  if (call.count > kOffsetLimit / std::max(element.size(), std::abs(element.extent)))
    return Error{ErrorKind::count, "the count is too large"};
  access.bytes = call.count * element.size();
  if (access.bytes % etype_size != 0)
    return Error{ErrorKind::type, "the data is not a whole number of etypes"};
  if (null_buffer(call.buffer, element.tree)) return Error{ErrorKind::buffer, "the buffer is null"};
  const ByteCount limit = view.tree().size();
  if (call.pointer == Pointer::explicit_offset && call.offset > limit / etype_size)
    return Error{ErrorKind::argument, "the offset is outside the view"};
  access.file.position =
      call.pointer == Pointer::explicit_offset ? call.offset * etype_size : position_;
  if (access.file.position > limit - access.bytes)
    return Error{ErrorKind::argument, "the view has no room for the data"};
  access.memory = memory_of(call.buffer, element, call.count);
  access.file.tree = &view.tree();
  access.file.first = view.offset_of(access.file.position);
  return {};
}

plan::IndependentFacts File::facts_of(const view::Tree& tree) const {
  const storage::Traits& traits = storage_->traits();
  plan::IndependentFacts facts;
  facts.file_mean_run = tree.mean_run();
  facts.ascending = tree.node->ascending;
  facts.mappings_coherent = traits.mappings_coherent;
  facts.readable = storage_->readable();
  facts.call_ns = traits.call_ns;
  facts.store_page_ns = traits.store_page_ns;
  facts.atomic = atomic_;
  return facts;
}

bool File::may_rewrite(const view::FileView& view) const {
  return owned_ && !view.tree().empty() && !view.contiguous() &&
         plan::wants_rewriting(facts_of(view.tree()));
}

storage::Moved File::transfer(const execute::Access& access) {
  const plan::IndependentHints& hints = independent_hints_;
  plan::IndependentFacts facts = facts_of(*access.file.tree);
  facts.direction = access.direction;
  facts.bytes = access.bytes;
  facts.memory_contiguous = access.memory.contiguous;
  facts.memory_mean_run = access.memory.contiguous ? access.bytes : access.memory.tree.mean_run();
  facts.span = span_of(access);
  const bool told_to = hints.sieve_writes == plan::Choice::enable;
  facts.writers_lock = view_->rewriting || told_to;
  plan::IndependentPlan plan = plan::plan_independent(facts, hints);

  Result<storage::RangeLock> alone = storage::RangeLock();
  if (plan.strategy == plan::Strategy::rmw && !told_to) {
    alone = exclude_other_teams(*storage_, team_.rank());
    if (!alone.ok()) {
      facts.readable = false;  // somebody else may write: nothing is rewritten
      plan = plan::plan_independent(facts, hints);
    }
  }
  last_.calls[static_cast<std::size_t>(plan.strategy)].fetch_add(1, std::memory_order_relaxed);
  last_.strategy.store(plan.strategy, std::memory_order_relaxed);
  last_.reason.store(plan.reason.data(), std::memory_order_relaxed);
  return run(plan, access, facts.span);
}

// Runs the plan under its locks. Byte-range locks do not keep threads of one rank apart.
storage::Moved File::run(const plan::IndependentPlan& plan, const execute::Access& access,
                         Extent span) {
  using plan::Locking;
  if (plan.locking == Locking::none) return execute::run_independent(*storage_, plan, access);
  std::shared_lock<std::shared_mutex> with_others(rewrite_mutex_, std::defer_lock);
  std::unique_lock<std::shared_mutex> alone(rewrite_mutex_, std::defer_lock);
  if (plan.locking == Locking::span_shared)
    with_others.lock();
  else
    alone.lock();
  if (plan.locking == Locking::window_exclusive)
    return execute::run_independent(*storage_, plan, access);
  const Result<storage::RangeLock> lock = storage::RangeLock::acquire(
      *storage_, span,
      plan.locking == Locking::span_shared ? shared_mode() : storage::LockMode::exclusive);
  if (!lock) return {0, lock.error()};
  return execute::run_independent(*storage_, plan, access);
}

Status File::access_alone(const Call& call, ByteCount& moved) try {
  std::unique_lock<std::mutex> pointer(position_mutex_, std::defer_lock);
  if (call.pointer == Pointer::individual) pointer.lock();
  execute::Access access;
  if (Status prepared = prepare(call, access); !prepared || access.bytes == 0) return prepared;
  storage::Moved done = transfer(access);
  moved = done.bytes;
  // By what was asked for, also where the file ended before (MPI-4.0 section 14.4.1).
  if (call.pointer == Pointer::individual && done.status.ok()) position_ += access.bytes;
  return std::move(done.status);
} catch (const std::bad_alloc&) {
  return Error{ErrorKind::no_memory, "no memory for the buffers of a data access"};
}

bool File::each_for_itself(Direction direction) const {
  plan::CollectiveFacts common;
  common.topology.ranks = team_.size();
  common.atomic = atomic_;
  common.page_cache_shared = one_page_cache_;
  return !plan::settled(common, collective_hints(direction), view_->small_pieces).empty();
}

Status File::access_together(const Call& call, ByteCount& moved) {
  std::unique_lock<std::mutex> pointer(position_mutex_, std::defer_lock);
  if (call.pointer == Pointer::individual) pointer.lock();
  Contribution mine;
  mine.access.direction = call.direction;
  mine.status = prepare(call, mine.access);
  mine.view = &view_->view.tree();
  if (mine.status.ok()) mine.span = span_of(mine.access);
  if (!mine.view->empty()) {
    mine.mean_run = mine.view->mean_run();
    mine.ascending = mine.view->node->ascending;
  }
  if (call.direction == Direction::read) mine.file_size = storage_->size();

  Collective::Setting setting;
  setting.layout = layout_;
  if (!mine.view->empty()) setting.storage = facts_of(*mine.view);
  setting.storage.writers_lock = view_->rewriting;
  setting.lock_bytes = storage_->traits().block_bytes;
  setting.page_cache_shared = one_page_cache_;
  setting.atomic = atomic_;
  const auto alone = [&](ByteCount& done) -> Status {
    if (mine.access.bytes == 0) return {};
    storage::Moved result = transfer(mine.access);
    done = result.bytes;
    return std::move(result.status);
  };
  const Collective::Work work{&mine, &setting, &collective_hints(call.direction), alone,
                              [this](const execute::Access& part) { return transfer(part); }};
  Status status = collective_.run(work, moved);
  if (call.pointer == Pointer::individual && status.ok()) position_ += mine.access.bytes;
  return status;
}

Status File::access(const Call& call, ByteCount& moved) {
  moved = 0;
  if (!call.collective) return access_alone(call, moved);
  if (each_for_itself(call.direction)) return team_.agree(access_alone(call, moved));
  return access_together(call, moved);
}

}  // namespace tributary::file
