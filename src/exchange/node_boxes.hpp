// Two-level aggregation: small shares of a node's ranks for an aggregator on another node travel
// in one message. Each rank puts its shares into a box in memory that the node shares; for each
// aggregator one rank of the node, its carrier, empties the boxes and sends one parcel. A read is
// the way back: the carrier receives the parcel and fills the boxes.
//
//   ranks of a node     box box box box
//                         \   \ /  /           carrier of aggregator a: rank a mod n of the node
//   carrier               [  parcel  ]
//                               |              one message
//   aggregator          unpacks it, share by share, in the order of the ranks
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "exchange/arena.hpp"
#include "execute/collective.hpp"
#include "execute/scratch.hpp"

namespace tributary::exchange {

class NodeBoxes {
 public:
  NodeBoxes(const execute::Job& job, const Arena& arena, const Nodes& nodes, MPI_Comm comm,
            std::uint64_t first_number);

  void post(std::int64_t cycle, int sub_buffer, std::byte* own_buffer);
  // Does what can be done without waiting; true when this cycle is done.
  bool progress(int sub_buffer);

 private:
  // A message under way, with its memory.
  struct Parcel {
    std::unique_ptr<execute::Scratch> memory;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  // A carrier's work for one aggregator.
  struct Load {
    int aggregator;
    bool under_way = false;
    Parcel parcel;
  };
  // An aggregator's parcel from or for another node.
  struct Delivery {
    std::vector<std::pair<int, execute::Share>> shares;  // by rank
    Parcel parcel;
  };
  struct Slot {
    std::uint64_t number = 0;
    int tag = 0;
    std::byte* own_buffer = nullptr;
    std::vector<std::pair<int, execute::Share>> mine;  // by aggregator
    bool mine_pending = false;
    std::vector<Load> loads;
    std::vector<Delivery> deliveries;
  };

  bool writing() const { return job_.direction() == Direction::write; }
  int carrier(int node, int aggregator) const;
  void fill_box(Slot& slot, std::int64_t cycle, int sub_buffer);
  void post_deliveries(Slot& slot, std::int64_t cycle);
  void start(Parcel& parcel, ByteCount bytes, bool sending, int peer, int tag) const;
  bool boxes_ready(int sub_buffer, std::uint64_t number) const;
  // Between the boxes and a parcel for one aggregator.
  void move_boxes(std::byte* parcel, int sub_buffer, int aggregator, bool into_parcel) const;
  void count_off(int sub_buffer) const;
  bool carry(Load& load, const Slot& slot, int sub_buffer);
  bool deliver(Delivery& delivery, const Slot& slot);
  void move_delivery(Direction direction, const Delivery& delivery, const Slot& slot) const;
  bool finish_mine(Slot& slot, int sub_buffer);

  const execute::Job& job_;
  const Arena& arena_;
  const Nodes& nodes_;
  MPI_Comm comm_;
  std::uint64_t first_number_;
  int in_node_;
  std::vector<int> remote_;  // aggregators on other nodes
  execute::UserData user_;
  std::vector<Slot> slots_;  // by sub-buffer
};

}  // namespace tributary::exchange
