#include "exchange/messages.hpp"

#include <utility>

namespace tributary::exchange {

using execute::share_of;

namespace {

constexpr int kTags = 16'000;  // every MPI has twice as many

}  // namespace

Messages::Messages(const execute::Job& job, MPI_Comm comm, ByMessage by_message)
    : job_(job),
      comm_(comm),
      by_message_(std::move(by_message)),
      user_(*job.memory, job.mine.position),
      batches_(static_cast<std::size_t>(job.plan->sub_buffers)) {}

void Messages::post(std::int64_t cycle, int sub_buffer, std::byte* own_buffer) {
  Batch& batch = batches_[static_cast<std::size_t>(sub_buffer)];
  batch.tag = static_cast<int>(cycle % kTags);
  batch.own_buffer = own_buffer;
  add_as_rank(batch, cycle);
  if (job_.aggregates()) add_as_aggregator(batch, cycle);
  start(batch);
}

void Messages::add_as_rank(Batch& batch, std::int64_t cycle) {
  const bool sending = job_.direction() == Direction::write;
  const std::vector<int>& aggregators = job_.plan->aggregators;
  for (std::size_t i = 0; i < aggregators.size(); ++i) {
    const int index = static_cast<int>(i);
    if (index == job_.aggregator || !job_.serves(index, job_.rank)) continue;
    Message message{aggregators[i], sending, true,
                    share_of(job_.mine, job_.placement(index, cycle))};
    if (message.share.empty() || !by_message_(message.peer, message.share.bytes)) continue;
    if (message.share.slices.size() == 1)
      message.place = user_.run_at(message.share.slices[0].position);
    batch.waiting[sending].push_back(std::move(message));
  }
}

void Messages::add_as_aggregator(Batch& batch, std::int64_t cycle) {
  const bool sending = job_.direction() == Direction::read;
  const execute::Placement placement = job_.placement(job_.aggregator, cycle);
  for (std::size_t i = 0; i < job_.parts.size(); ++i) {
    const int rank = static_cast<int>(i);
    if (rank == job_.rank || !job_.serves(job_.aggregator, rank)) continue;
    Message message{rank, sending, false, share_of(job_.parts[i], placement)};
    if (message.share.empty() || !by_message_(message.peer, message.share.bytes)) continue;
    view::Cursor file(job_.parts[i].tree);
    message.place = run_in(batch.own_buffer, message.share, file);
    batch.waiting[sending].push_back(std::move(message));
  }
}

void Messages::start(Batch& batch) {
  for (const int sending : {0, 1}) {
    std::deque<Message>& waiting = batch.waiting[sending];
    ByteCount& staged = batch.staged[sending];
    while (!waiting.empty()) {
      const Message& next = waiting.front();
      const ByteCount needed = next.place == nullptr ? next.share.bytes : 0;
      if (needed > 0 && staged > 0 && staged + needed > job_.plan->sub_buffer_bytes) break;
      staged += needed;
      Message message = std::move(waiting.front());
      waiting.pop_front();
      start_one(batch, std::move(message));
    }
  }
}

void Messages::start_one(Batch& batch, Message message) {
  if (message.place == nullptr) {
    message.staging = std::make_unique<execute::Scratch>(message.share.bytes);
    if (message.sending) move_staged(batch, message);
  }
  std::byte* const data = message.staging ? message.staging->data() : message.place;
  const int bytes = static_cast<int>(message.share.bytes);  // a sub-buffer is at most 1 GiB
  MPI_Request request = MPI_REQUEST_NULL;
  const int error =
      message.sending ? PMPI_Isend(data, bytes, MPI_BYTE, message.peer, batch.tag, comm_, &request)
                      : PMPI_Irecv(data, bytes, MPI_BYTE, message.peer, batch.tag, comm_, &request);
  if (error != MPI_SUCCESS)
    status_ = Error{ErrorKind::io, "the MPI failed to exchange the data of a collective access"};
  batch.requests.push_back(request);
  batch.active.push_back(std::move(message));
}

// Between staging and where the data lives on this side.
void Messages::move_staged(Batch& batch, const Message& message) {
  const Direction towards = job_.direction();
  if (message.with_user) return move_user(towards, user_, message.share, message.staging->data());
  view::Cursor file(job_.parts[static_cast<std::size_t>(message.peer)].tree);
  move_packed(towards, batch.own_buffer, message.share, file, message.staging->data());
}

void Messages::complete(Batch& batch, Message& message) {
  if (!message.staging) return;
  if (!message.sending) move_staged(batch, message);
  batch.staged[message.sending] -= message.share.bytes;
}

bool Messages::progress(int sub_buffer, Wait wait) {
  Batch& batch = batches_[static_cast<std::size_t>(sub_buffer)];
  while (!batch.finished()) {
    const int active = static_cast<int>(batch.requests.size());
    finished_.resize(batch.requests.size());
    int count = 0;
    const auto complete_some = wait == Wait::yes ? PMPI_Waitsome : PMPI_Testsome;
    if (complete_some(active, batch.requests.data(), &count, finished_.data(),
                      MPI_STATUSES_IGNORE) != MPI_SUCCESS)
      status_ = Error{ErrorKind::io, "the MPI failed to exchange the data of a collective access"};
    if (count == 0) return false;
    if (count == MPI_UNDEFINED) count = 0;
    for (int i = 0; i < count; ++i)
      complete(batch,
               batch.active[static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)])]);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch.active.size(); ++i) {
      if (batch.requests[i] == MPI_REQUEST_NULL) continue;
      if (kept != i) {
        batch.active[kept] = std::move(batch.active[i]);
        batch.requests[kept] = batch.requests[i];
      }
      ++kept;
    }
    batch.active.resize(kept);
    batch.requests.resize(kept);
    start(batch);
  }
  return true;
}

}  // namespace tributary::exchange
