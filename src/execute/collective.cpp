#include "execute/collective.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "execute/coverage.hpp"
#include "view/build.hpp"

namespace tributary::execute {
namespace {

// An aggregator's own access: pieces of the sub-buffer, to or from where they lie in the file.
struct CycleAccess {
  Access access;
  view::Tree file;
};

// The pieces as places in the file; a piece that goes over the end of an extent is cut there.
view::Tree places_of(const Placement& placement, const Wanted& wanted) {
  view::RunList places;
  places.reserve(wanted.pieces.size() + placement.extents.size());
  std::size_t i = 0;
  for (Extent piece : wanted.pieces) {
    while (piece.length > 0) {
      while (placement.bases[i] + placement.extents[i].length <= piece.offset) ++i;
      const ByteCount within = piece.offset - placement.bases[i];
      const ByteCount length = std::min(piece.length, placement.extents[i].length - within);
      places.add(placement.extents[i].offset + within, length);
      piece = {piece.offset + length, piece.length - length};
    }
  }
  return std::move(places).finish();
}

view::Tree tree_of(const std::vector<Extent>& pieces) {
  view::RunList runs;
  runs.reserve(pieces.size());
  for (const Extent& piece : pieces) runs.add(piece.offset, piece.length);
  return std::move(runs).finish();
}

CycleAccess access_of(Direction direction, const Placement& placement, const Wanted& wanted,
                      std::byte* buffer) {
  CycleAccess result;
  result.file = places_of(placement, wanted);
  // In one extent the pieces lie in memory as they lie in the file.
  view::Tree memory = placement.extents.size() == 1
                          ? result.file.moved(-placement.extents[0].offset)
                          : tree_of(wanted.pieces);
  result.access.direction = direction;
  result.access.bytes = wanted.bytes;
  result.access.memory = {buffer + memory.at, memory.is_block(), {std::move(memory.node), 0}};
  result.access.file = {nullptr, 0, result.file.at};
  return result;
}

}  // namespace

bool Job::serves(int aggregator_index, int for_rank) const {
  const std::vector<int>& fixed = plan->aggregator_of_rank;
  return fixed.empty() || fixed[static_cast<std::size_t>(for_rank)] == aggregator_index;
}

Placement Job::placement(int aggregator_index, std::int64_t cycle) const {
  return Placement(cycles[static_cast<std::size_t>(aggregator_index)].extents(cycle));
}

CollectiveRun::CollectiveRun(const Job& job, Exchange& exchange, Mover mover)
    : job_(job),
      exchange_(exchange),
      mover_(std::move(mover)),
      program_(job.plan->program()),
      threaded_(plan::overlaps_io(job.plan->schedule) && job.plan->sub_buffers > 1),
      tasks_(static_cast<std::size_t>(job.plan->sub_buffers)) {}

bool CollectiveRun::advance(Wait wait) {
  for (; next_ < program_.size(); ++next_) {
    const plan::Step& step = program_[next_];
    switch (step.operation) {
      case plan::Operation::post_exchange:
        exchange_.post(step.cycle, step.sub_buffer);
        break;
      case plan::Operation::await_exchange:
        if (!exchange_.await(step.cycle, step.sub_buffer, wait)) return false;
        break;
      case plan::Operation::post_io:
        post_io(step.cycle, step.sub_buffer);
        break;
      case plan::Operation::await_io:
        if (!await_io(step.sub_buffer, wait)) return false;
        break;
    }
  }
  return true;
}

Outcome CollectiveRun::outcome() const {
  Outcome result = outcome_;
  if (result.status.ok()) result.status = exchange_.status();
  return result;
}

void CollectiveRun::post_io(std::int64_t cycle, int sub_buffer) {
  if (!job_.aggregates()) return;
  std::byte* const buffer = exchange_.sub_buffer(sub_buffer);
  if (!threaded_) return do_io(cycle, buffer);
  auto& task = tasks_[static_cast<std::size_t>(sub_buffer)];
  task = std::make_unique<Task>([this, cycle, buffer] { do_io(cycle, buffer); });
  Worker::post(*task);
}

bool CollectiveRun::await_io(int sub_buffer, Wait wait) {
  auto& task = tasks_[static_cast<std::size_t>(sub_buffer)];
  if (!task) return true;
  if (wait == Wait::no && !task->done()) return false;
  task->wait();
  task.reset();
  return true;
}

void CollectiveRun::do_io(std::int64_t cycle, std::byte* buffer) try {
  const Placement placement = job_.placement(job_.aggregator, cycle);
  if (placement.extents.empty()) return;
  const bool reading = job_.direction() == Direction::read;
  if (!outcome_.status.ok()) {
    if (reading) std::memset(buffer, 0, static_cast<std::size_t>(placement.bytes));
    return;
  }
  const Wanted wanted = wanted_in(job_, placement);
  if (wanted.bytes == 0) return;
  CycleAccess cycle_access = access_of(job_.direction(), placement, wanted, buffer);
  cycle_access.access.file.tree = &cycle_access.file;
  if (reading && wanted.bytes < placement.bytes)
    std::memset(buffer, 0, static_cast<std::size_t>(placement.bytes));
  const storage::Moved moved = mover_(cycle_access.access);
  outcome_.status = moved.status;
  if (reading && moved.bytes < wanted.bytes) {
    const view::Cursor end(cycle_access.file, moved.bytes);
    outcome_.end = std::min(outcome_.end, end.offset());
  }
} catch (const std::bad_alloc&) {
  outcome_.status = Error{ErrorKind::no_memory, "no memory for a cycle of a collective access"};
}

}  // namespace tributary::execute
