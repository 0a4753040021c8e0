// Memory of the aggregators' sub-buffers, kept by a file from one collective access to the next:
// plain memory for messages, MPI windows for the one-sided shuffles, or a segment that all ranks of
// a node can store into.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "exchange/nodes.hpp"
#include "plan/collective.hpp"

namespace tributary::exchange {

inline constexpr int kSubBuffersMax = 64;

// The state of an aggregator's sub-buffers, in memory shared by the ranks of its node. `opened` is
// the number of the cycle for which ranks may now come to the sub-buffer, `arrived` counts those
// who are done with it. One cache line for each.
struct Control {
  struct alignas(64) Line {
    std::atomic<std::uint64_t> value;
  };
  Line opened[kSubBuffersMax];
  Line arrived[kSubBuffersMax];
};

// What a rank hands over to its node for aggregators elsewhere (node_boxes.hpp): for each
// sub-buffer a length and a place of fixed size for each aggregator.
class Box {
 public:
  Box(std::byte* memory, int aggregators, ByteCount place_bytes)
      : memory_(memory), aggregators_(aggregators), place_bytes_(place_bytes) {}
  static ByteCount bytes(int sub_buffers, int aggregators, ByteCount place_bytes);

  std::atomic<std::uint64_t>& ready(int sub_buffer) const;  // filled for this cycle
  std::atomic<std::uint64_t>& taken(int sub_buffer) const;  // aggregators served so far
  std::int64_t& length(int sub_buffer, int aggregator) const;
  std::byte* place(int sub_buffer, int aggregator) const;

 private:
  std::byte* sub_box(int sub_buffer) const;

  std::byte* memory_;
  int aggregators_;
  ByteCount place_bytes_;
};

class Arena {
 public:
  // Collective. Every rank gets the same answer only after the ranks have agreed on it.
  static Result<std::unique_ptr<Arena>> make(const plan::CollectivePlan& plan, MPI_Comm comm,
                                             const Nodes& nodes);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  bool fits(const plan::CollectivePlan& plan) const;
  // Numbers of the cycles of one more access begin behind those of the last one.
  std::uint64_t begin(std::int64_t cycles);

  std::byte* own(int sub_buffer) const;  // null where this rank does not aggregate
  std::byte* shared(int aggregator, int sub_buffer) const;  // null: on another node
  Control* control(int aggregator) const;
  Box box(int rank_in_node) const;
  MPI_Win window(int sub_buffer) const { return windows_[static_cast<std::size_t>(sub_buffer)]; }

 private:
  Arena() = default;
  bool make_windows(MPI_Comm comm, bool aggregates);
  bool make_shared(const Nodes& nodes, bool aggregates);
  bool make_boxes(const Nodes& nodes);

  plan::Shuffle shuffle_ = plan::Shuffle::two_sided;
  std::vector<int> aggregators_;
  ByteCount bytes_ = 0;
  int sub_buffers_ = 0;
  int own_index_ = -1;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<MPI_Win> windows_;
  std::vector<std::byte*> window_memory_;
  std::vector<std::byte*> segments_;  // by aggregator
  ByteCount place_bytes_ = 0;
  std::vector<std::byte*> boxes_;  // by rank of the node
  std::uint64_t sequence_ = 0;
};

}  // namespace tributary::exchange
