// The node-local shuffle: ranks copy their data straight into the sub-buffers of aggregators on
// their node (or out of them), without a message. An aggregator opens a sub-buffer for a cycle by
// storing the cycle's number; ranks that have data there come, copy and count themselves off.
#pragma once

#include "exchange/arena.hpp"
#include "execute/collective.hpp"

namespace tributary::exchange {

class SharedMemory {
 public:
  SharedMemory(const execute::Job& job, const Arena& arena, const Nodes& nodes,
               std::uint64_t first_number);

  void post(std::int64_t cycle, int sub_buffer);
  // Does what can be done without waiting; true when this cycle is done.
  bool progress(int sub_buffer);

 private:
  // A copy of this rank's that waits for the sub-buffer to be opened.
  struct Visit {
    int aggregator;
    execute::Share share;
  };
  struct Slot {
    std::uint64_t number = 0;
    std::uint64_t expected = 0;  // ranks that come to this aggregator's sub-buffer
    std::vector<Visit> visits;
  };

  bool visit(const Visit& visit, int sub_buffer, std::uint64_t number);
  std::uint64_t visitors(std::int64_t cycle) const;

  const execute::Job& job_;
  const Arena& arena_;
  const Nodes& nodes_;
  std::uint64_t first_number_;
  execute::UserData user_;
  view::Cursor file_;
  std::vector<Slot> slots_;  // by sub-buffer
};

}  // namespace tributary::exchange
