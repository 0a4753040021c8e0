// The interpreter of step programs: carries out a collective plan. A blocking call runs it to the
// end, a nonblocking one advances it as far as it goes without waiting; reading and writing,
// every schedule and every shuffle are the same text.
//
// Errors do not stop the program: a rank that left it would hang the others. The first one is
// kept, file access stops, data goes on being exchanged, and the ranks agree on the outcome.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "execute/shares.hpp"
#include "execute/worker.hpp"
#include "storage/transfer.hpp"

namespace tributary::execute {

// A collective access as one rank sees it.
struct Job {
  const plan::CollectivePlan* plan = nullptr;
  int rank = 0;
  int aggregator = -1;               // index of this rank among the aggregators, or -1
  std::vector<plan::Cycles> cycles;  // by aggregator
  RankPart mine;
  const Memory* memory = nullptr;
  std::vector<RankPart> parts;  // of every rank; only where this rank aggregates

  Direction direction() const { return plan->direction; }
  bool aggregates() const { return aggregator >= 0; }
  // Whether an aggregator takes care of a rank's data that lie in its domain.
  bool serves(int aggregator_index, int for_rank) const;
  Placement placement(int aggregator_index, std::int64_t cycle) const;
};

using storage::Wait;

// How a cycle's data gets from the ranks into the aggregators' sub-buffers, or back.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Memory of this rank's sub-buffers; null where it does not aggregate.
  virtual std::byte* sub_buffer(int index) = 0;
  virtual void post(std::int64_t cycle, int sub_buffer) = 0;
  // False, only with Wait::no: not there yet.
  virtual bool await(std::int64_t cycle, int sub_buffer, Wait wait) = 0;
  virtual Status status() const = 0;
};

// What came of it on this rank.
struct Outcome {
  Status status;
  FileOffset end = kOffsetLimit;  // a read found the file ending here
};

class CollectiveRun {
 public:
  // Moves an aggregator's access; called from the helper thread where the schedule overlaps.
  using Mover = std::function<storage::Moved(const Access&)>;

  CollectiveRun(const Job& job, Exchange& exchange, Mover mover);

  // Goes on with the program; true when it is finished.
  bool advance(Wait wait);
  Outcome outcome() const;

 private:
  void post_io(std::int64_t cycle, int sub_buffer);
  bool await_io(int sub_buffer, Wait wait);
  void do_io(std::int64_t cycle, std::byte* buffer);

  const Job& job_;
  Exchange& exchange_;
  Mover mover_;
  plan::Program program_;
  std::size_t next_ = 0;
  bool threaded_;
  std::vector<std::unique_ptr<Task>> tasks_;  // by sub-buffer
  Outcome outcome_;  // written by file access, which is never done twice at a time
};

}  // namespace tributary::execute
