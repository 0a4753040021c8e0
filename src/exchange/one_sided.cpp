#include "exchange/one_sided.hpp"

#include <utility>

#include "mpi/flavour.hpp"

namespace tributary::exchange {

using execute::Share;
using execute::Slice;

OneSided::OneSided(const execute::Job& job, const Arena& arena, MPI_Comm comm)
    : job_(job),
      arena_(arena),
      comm_(comm),
      user_(*job.memory, job.mine.position),
      file_(job.mine.tree),
      staged_(static_cast<std::size_t>(job.plan->sub_buffers)),
      barriers_(staged_.size(), MPI_REQUEST_NULL) {}

void OneSided::check(int error) {
  if (error != MPI_SUCCESS)
    status_ = Error{ErrorKind::io, "the MPI failed in a one-sided exchange"};
}

void OneSided::post(std::int64_t cycle, int sub_buffer) {
  const MPI_Win window = arena_.window(sub_buffer);
  // No promise of MPI_MODE_NOPRECEDE: with it MPICH does not wait for the target's fence, and a put
  // would land in a sub-buffer that is still being written.
  check(fenced() ? PMPI_Win_fence(0, window) : PMPI_Barrier(comm_));
  const std::vector<int>& aggregators = job_.plan->aggregators;
  for (std::size_t i = 0; i < aggregators.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!job_.serves(index, job_.rank)) continue;
    Share share = execute::share_of(job_.mine, job_.placement(index, cycle));
    if (share.empty()) continue;
    if (fenced()) {
      move_share(aggregators[i], std::move(share), sub_buffer);
      continue;
    }
    check(PMPI_Win_lock(MPI_LOCK_SHARED, aggregators[i], 0, window));
    move_share(aggregators[i], std::move(share), sub_buffer);
    check(PMPI_Win_unlock(aggregators[i], window));
    finish_staged(sub_buffer);
  }
  if (!fenced()) check(PMPI_Ibarrier(comm_, &barriers_[static_cast<std::size_t>(sub_buffer)]));
}

bool OneSided::await(std::int64_t /*cycle*/, int sub_buffer, execute::Wait wait) {
  const MPI_Win window = arena_.window(sub_buffer);
  if (fenced()) {
    check(PMPI_Win_fence(MPI_MODE_NOSUCCEED, window));
    if (!mpi::fence_completes()) flush(window);
    finish_staged(sub_buffer);
    return true;
  }
  MPI_Request& barrier = barriers_[static_cast<std::size_t>(sub_buffer)];
  int done = 1;
  check(wait == execute::Wait::yes ? PMPI_Wait(&barrier, MPI_STATUS_IGNORE)
                                   : PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
  if (done == 0) return false;
  if (job_.aggregates()) {  // what others have put is to be seen by plain loads
    check(PMPI_Win_lock(MPI_LOCK_SHARED, job_.rank, 0, window));
    check(PMPI_Win_sync(window));
    check(PMPI_Win_unlock(job_.rank, window));
  }
  return true;
}

// Brings home what a fence of this MPI may leave under way.
void OneSided::flush(MPI_Win window) {
  check(PMPI_Win_lock_all(0, window));
  check(PMPI_Win_flush_all(window));
  check(PMPI_Win_unlock_all(window));
  check(PMPI_Barrier(comm_));
}

void OneSided::move_share(int aggregator, Share share, int sub_buffer) {
  const MPI_Win window = arena_.window(sub_buffer);
  if (user_.run_at(job_.mine.position) != nullptr) {
    for (const Slice& slice : share.slices)
      move_slice(aggregator, slice, user_.run_at(slice.position), window);
    return;
  }
  auto memory = std::make_unique<execute::Scratch>(share.bytes);
  std::byte* packed = memory->data();
  if (job_.direction() == Direction::write) move_user(Direction::write, user_, share, packed);
  for (const Slice& slice : share.slices) {
    move_slice(aggregator, slice, packed, window);
    packed += slice.bytes;
  }
  staged_[static_cast<std::size_t>(sub_buffer)].push_back({std::move(share), std::move(memory)});
}

// A group of the cursor is what MPI calls a vector: one call moves all its blocks.
void OneSided::move_slice(int target, const Slice& slice, std::byte* data, MPI_Win window) {
  file_.seek(slice.position);
  for (ByteCount left = slice.bytes; left > 0;) {
    const view::Group group = file_.take(left);
    const int bytes = static_cast<int>(group.size());
    const MPI_Aint there = slice.base + (group.offset - slice.origin);
    MPI_Datatype blocks = MPI_BYTE;
    if (group.count > 1) {
      PMPI_Type_create_hvector(static_cast<int>(group.count), static_cast<int>(group.length),
                               group.stride, MPI_BYTE, &blocks);
      PMPI_Type_commit(&blocks);
    }
    const int count = group.count > 1 ? 1 : bytes;
    check(job_.direction() == Direction::write
              ? PMPI_Put(data, bytes, MPI_BYTE, target, there, count, blocks, window)
              : PMPI_Get(data, bytes, MPI_BYTE, target, there, count, blocks, window));
    if (group.count > 1) PMPI_Type_free(&blocks);
    data += bytes;
    left -= bytes;
  }
}

void OneSided::finish_staged(int sub_buffer) {
  auto& staged = staged_[static_cast<std::size_t>(sub_buffer)];
  if (job_.direction() == Direction::read)
    for (const Staged& one : staged)
      move_user(Direction::read, user_, one.share, one.memory->data());
  staged.clear();
}

}  // namespace tributary::exchange
