// The two-sided shuffle: a message from each rank to each aggregator that gets some of its data in
// a cycle (or back, for a read). Data that is one run on both sides is sent from where it is and
// received where it belongs; other data goes through staging, of which there is never more than
// a sub-buffer's worth at a time in each direction.
//
// No deadlock, however little staging there is: both sides take their messages in one common
// order, by (rank, aggregator), so the first one that is not complete is posted on both sides.
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "execute/collective.hpp"
#include "execute/scratch.hpp"

namespace tributary::exchange {

using execute::Wait;

class Messages {
 public:
  // Whether so many bytes go to or come from that rank by a message of their own.
  using ByMessage = std::function<bool(int rank, ByteCount bytes)>;

  Messages(const execute::Job& job, MPI_Comm comm, ByMessage by_message);

  void post(std::int64_t cycle, int sub_buffer, std::byte* own_buffer);
  bool progress(int sub_buffer, Wait wait);
  const Status& status() const { return status_; }

 private:
  struct Message {
    int peer = 0;
    bool sending = false;
    bool with_user = true;  // this rank's own data; else a rank's part in the sub-buffer
    execute::Share share;
    std::byte* place = nullptr;  // null: through staging
    std::unique_ptr<execute::Scratch> staging = nullptr;
  };
  // The messages of one cycle.
  struct Batch {
    int tag = 0;
    std::byte* own_buffer = nullptr;
    std::deque<Message> waiting[2];  // receives, sends
    ByteCount staged[2] = {0, 0};
    std::vector<Message> active;
    std::vector<MPI_Request> requests;

    bool finished() const { return active.empty() && waiting[0].empty() && waiting[1].empty(); }
  };

  void add_as_rank(Batch& batch, std::int64_t cycle);
  void add_as_aggregator(Batch& batch, std::int64_t cycle);
  void start(Batch& batch);
  void start_one(Batch& batch, Message message);
  void complete(Batch& batch, Message& message);
  void move_staged(Batch& batch, const Message& message);

  const execute::Job& job_;
  MPI_Comm comm_;
  ByMessage by_message_;
  execute::UserData user_;
  std::vector<Batch> batches_;  // by sub-buffer
  std::vector<int> finished_;   // indices, filled by the MPI
  Status status_;
};

}  // namespace tributary::exchange
