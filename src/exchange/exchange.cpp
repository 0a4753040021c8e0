#include "exchange/exchange.hpp"

#include <sched.h>

#include "exchange/messages.hpp"
#include "exchange/node_boxes.hpp"
#include "exchange/one_sided.hpp"
#include "exchange/shared_memory.hpp"

namespace tributary::exchange {
namespace {

using execute::Wait;

class TwoSided : public execute::Exchange {
 public:
  TwoSided(const execute::Job& job, const Arena& arena, MPI_Comm comm)
      : job_(job),
        arena_(arena),
        messages_(job, comm, [](int, ByteCount) { return true; }),
        user_(*job.memory, job.mine.position),
        file_(job.mine.tree) {}

  std::byte* sub_buffer(int index) override { return arena_.own(index); }
  void post(std::int64_t cycle, int sub_buffer) override {
    if (job_.aggregates() && job_.serves(job_.aggregator, job_.rank)) {
      const execute::Share own =
          execute::share_of(job_.mine, job_.placement(job_.aggregator, cycle));
      move_direct(job_.direction(), arena_.own(sub_buffer), own, file_, user_);
    }
    messages_.post(cycle, sub_buffer, arena_.own(sub_buffer));
  }
  bool await(std::int64_t /*cycle*/, int sub_buffer, Wait wait) override {
    return messages_.progress(sub_buffer, wait);
  }
  Status status() const override { return messages_.status(); }

 private:
  const execute::Job& job_;
  const Arena& arena_;
  Messages messages_;
  execute::UserData user_;
  view::Cursor file_;
};

// Shared memory inside the node, messages between nodes; small ones put together for each node.
class Mixed : public execute::Exchange {
 public:
  Mixed(const execute::Job& job, Arena& arena, const Nodes& nodes, MPI_Comm comm)
      : arena_(arena),
        first_number_(arena.begin(job.plan->cycles)),
        shared_(job, arena, nodes, first_number_),
        messages_(job, comm,
                  [&nodes, small = job.plan->combined_bytes_max](int rank, ByteCount bytes) {
                    return !nodes.is_here(rank) && bytes > small;
                  }) {
    if (job.plan->two_level())
      boxes_ = std::make_unique<NodeBoxes>(job, arena, nodes, comm, first_number_);
  }

  std::byte* sub_buffer(int index) override { return arena_.own(index); }
  void post(std::int64_t cycle, int sub_buffer) override {
    messages_.post(cycle, sub_buffer, arena_.own(sub_buffer));
    if (boxes_) boxes_->post(cycle, sub_buffer, arena_.own(sub_buffer));
    shared_.post(cycle, sub_buffer);
  }
  bool await(std::int64_t /*cycle*/, int sub_buffer, Wait wait) override {
    for (;;) {
      const bool copied = shared_.progress(sub_buffer);
      const bool handed = !boxes_ || boxes_->progress(sub_buffer);
      const bool received = messages_.progress(sub_buffer, copied && handed ? wait : Wait::no);
      if (copied && handed && received) return true;
      if (wait == Wait::no) return false;
      ::sched_yield();
    }
  }
  Status status() const override { return messages_.status(); }

 private:
  Arena& arena_;
  std::uint64_t first_number_;
  SharedMemory shared_;
  Messages messages_;
  std::unique_ptr<NodeBoxes> boxes_;
};

}  // namespace

std::unique_ptr<execute::Exchange> make_exchange(const execute::Job& job, Arena& arena,
                                                 const Nodes& nodes, MPI_Comm comm) {
  switch (job.plan->shuffle) {
    case plan::Shuffle::two_sided:
      return std::make_unique<TwoSided>(job, arena, comm);
    case plan::Shuffle::one_sided_fence:
    case plan::Shuffle::one_sided_lock:
      return std::make_unique<OneSided>(job, arena, comm);
    case plan::Shuffle::shared:
      return std::make_unique<Mixed>(job, arena, nodes, comm);
  }
  return nullptr;
}

}  // namespace tributary::exchange
