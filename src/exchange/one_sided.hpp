// The one-sided shuffles: ranks put their data into the aggregators' windows, or get it from there.
// Paper: dissertation 3.1.2.
//
//   fence   active target: a fence on the sub-buffer's window opens the cycle, a second closes it
//   lock    passive target: a shared lock for each aggregator; a barrier before, so that nobody
//           comes while the aggregator still uses the sub-buffer, and one behind, so that the
//           aggregator knows that everybody has been there
//
// A post of either may wait for the other ranks' post of the same cycle.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "exchange/arena.hpp"
#include "execute/collective.hpp"
#include "execute/scratch.hpp"

namespace tributary::exchange {

class OneSided : public execute::Exchange {
 public:
  OneSided(const execute::Job& job, const Arena& arena, MPI_Comm comm);

  std::byte* sub_buffer(int index) override { return arena_.own(index); }
  void post(std::int64_t cycle, int sub_buffer) override;
  bool await(std::int64_t cycle, int sub_buffer, execute::Wait wait) override;
  Status status() const override { return status_; }

 private:
  // A share that goes through staging, until it is complete.
  struct Staged {
    execute::Share share;
    std::unique_ptr<execute::Scratch> memory;
  };
  bool fenced() const { return job_.plan->shuffle == plan::Shuffle::one_sided_fence; }
  void move_share(int aggregator, execute::Share share, int sub_buffer);
  void move_slice(int target, const execute::Slice& slice, std::byte* data, MPI_Win window);
  void flush(MPI_Win window);
  void finish_staged(int sub_buffer);
  void check(int error);

  const execute::Job& job_;
  const Arena& arena_;
  MPI_Comm comm_;
  execute::UserData user_;
  view::Cursor file_;
  std::vector<std::vector<Staged>> staged_;  // by sub-buffer
  std::vector<MPI_Request> barriers_;        // by sub-buffer
  Status status_;
};

}  // namespace tributary::exchange
