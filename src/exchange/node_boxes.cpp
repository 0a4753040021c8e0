#include "exchange/node_boxes.hpp"

#include <cstring>

namespace tributary::exchange {

using execute::Share;
using execute::share_of;

namespace {

constexpr int kTagBase = 16'000;  // behind those of messages.cpp
constexpr int kTags = 16'000;

ByteCount total_of(const std::vector<std::pair<int, Share>>& shares) {
  ByteCount total = 0;
  for (const auto& [peer, share] : shares) total += share.bytes;
  return total;
}

bool complete(MPI_Request& request) {
  int done = 0;
  PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

NodeBoxes::NodeBoxes(const execute::Job& job, const Arena& arena, const Nodes& nodes, MPI_Comm comm,
                     std::uint64_t first_number)
    : job_(job),
      arena_(arena),
      nodes_(nodes),
      comm_(comm),
      first_number_(first_number),
      in_node_(nodes.rank_in_node(job.rank)),
      user_(*job.memory, job.mine.position),
      slots_(static_cast<std::size_t>(job.plan->sub_buffers)) {
  for (std::size_t i = 0; i < job.plan->aggregators.size(); ++i)
    if (!nodes.is_here(job.plan->aggregators[i])) remote_.push_back(static_cast<int>(i));
}

int NodeBoxes::carrier(int node, int aggregator) const {
  const std::vector<int>& ranks = nodes_.ranks_of(node);
  return ranks[static_cast<std::size_t>(aggregator) % ranks.size()];
}

void NodeBoxes::start(Parcel& parcel, ByteCount bytes, bool sending, int peer, int tag) const {
  const int count = static_cast<int>(bytes);
  if (sending)
    PMPI_Isend(parcel.memory->data(), count, MPI_BYTE, peer, tag, comm_, &parcel.request);
  else
    PMPI_Irecv(parcel.memory->data(), count, MPI_BYTE, peer, tag, comm_, &parcel.request);
}

void NodeBoxes::post(std::int64_t cycle, int sub_buffer, std::byte* own_buffer) {
  Slot& slot = slots_[static_cast<std::size_t>(sub_buffer)];
  slot.number = first_number_ + static_cast<std::uint64_t>(cycle);
  slot.tag = kTagBase + static_cast<int>(cycle % kTags);
  slot.own_buffer = own_buffer;
  fill_box(slot, cycle, sub_buffer);
  for (const int aggregator : remote_)
    if (carrier(nodes_.here(), aggregator) == job_.rank)
      slot.loads.push_back({aggregator, false, {}});
  if (job_.aggregates()) post_deliveries(slot, cycle);
  progress(sub_buffer);
}

void NodeBoxes::fill_box(Slot& slot, std::int64_t cycle, int sub_buffer) {
  const Box box = arena_.box(in_node_);
  box.taken(sub_buffer).store(0, std::memory_order_relaxed);
  for (const int aggregator : remote_) {
    Share share;
    if (job_.serves(aggregator, job_.rank))
      share = share_of(job_.mine, job_.placement(aggregator, cycle));
    if (share.bytes > job_.plan->combined_bytes_max) share = {};  // by a message of its own
    box.length(sub_buffer, aggregator) = share.bytes;
    if (share.empty()) continue;
    if (writing()) move_user(Direction::write, user_, share, box.place(sub_buffer, aggregator));
    slot.mine.emplace_back(aggregator, std::move(share));
  }
  slot.mine_pending = true;
  box.ready(sub_buffer).store(slot.number, std::memory_order_release);
}

void NodeBoxes::post_deliveries(Slot& slot, std::int64_t cycle) {
  const execute::Placement placement = job_.placement(job_.aggregator, cycle);
  for (int node = 0; node < nodes_.topology().nodes(); ++node) {
    if (node == nodes_.here()) continue;
    Delivery delivery;
    for (const int rank : nodes_.ranks_of(node)) {
      if (!job_.serves(job_.aggregator, rank)) continue;
      Share share = share_of(job_.parts[static_cast<std::size_t>(rank)], placement);
      if (!share.empty() && share.bytes <= job_.plan->combined_bytes_max)
        delivery.shares.emplace_back(rank, std::move(share));
    }
    const ByteCount bytes = total_of(delivery.shares);
    if (bytes == 0) continue;
    delivery.parcel.memory = std::make_unique<execute::Scratch>(bytes);
    if (!writing()) move_delivery(Direction::read, delivery, slot);
    start(delivery.parcel, bytes, !writing(), carrier(node, job_.aggregator), slot.tag);
    slot.deliveries.push_back(std::move(delivery));
  }
}

void NodeBoxes::move_delivery(Direction direction, const Delivery& delivery,
                              const Slot& slot) const {
  std::byte* packed = delivery.parcel.memory->data();
  for (const auto& [rank, share] : delivery.shares) {
    view::Cursor file(job_.parts[static_cast<std::size_t>(rank)].tree);
    move_packed(direction, slot.own_buffer, share, file, packed);
    packed += share.bytes;
  }
}

bool NodeBoxes::boxes_ready(int sub_buffer, std::uint64_t number) const {
  const std::size_t ranks = nodes_.ranks_of(nodes_.here()).size();
  for (std::size_t i = 0; i < ranks; ++i) {
    const Box box = arena_.box(static_cast<int>(i));
    if (box.ready(sub_buffer).load(std::memory_order_acquire) != number) return false;
  }
  return true;
}

void NodeBoxes::move_boxes(std::byte* parcel, int sub_buffer, int aggregator,
                           bool into_parcel) const {
  const std::size_t ranks = nodes_.ranks_of(nodes_.here()).size();
  for (std::size_t i = 0; i < ranks; ++i) {
    const Box box = arena_.box(static_cast<int>(i));
    const auto bytes = static_cast<std::size_t>(box.length(sub_buffer, aggregator));
    std::byte* const place = box.place(sub_buffer, aggregator);
    std::memcpy(into_parcel ? parcel : place, into_parcel ? place : parcel, bytes);
    parcel += bytes;
  }
}

// Every rank of the node waits until all carriers are done with its box, also where they found
// nothing in it: only then may it be filled again.
void NodeBoxes::count_off(int sub_buffer) const {
  const std::size_t ranks = nodes_.ranks_of(nodes_.here()).size();
  for (std::size_t i = 0; i < ranks; ++i)
    arena_.box(static_cast<int>(i)).taken(sub_buffer).fetch_add(1, std::memory_order_release);
}

// True when the load is where it belongs.
bool NodeBoxes::carry(Load& load, const Slot& slot, int sub_buffer) {
  if (!load.under_way) {
    if (!boxes_ready(sub_buffer, slot.number)) return false;
    ByteCount bytes = 0;
    for (std::size_t i = 0; i < nodes_.ranks_of(nodes_.here()).size(); ++i)
      bytes += arena_.box(static_cast<int>(i)).length(sub_buffer, load.aggregator);
    if (bytes == 0) {
      count_off(sub_buffer);
      return true;
    }
    load.parcel.memory = std::make_unique<execute::Scratch>(bytes);
    if (writing()) {
      move_boxes(load.parcel.memory->data(), sub_buffer, load.aggregator, true);
      count_off(sub_buffer);
    }
    const int peer = job_.plan->aggregators[static_cast<std::size_t>(load.aggregator)];
    start(load.parcel, bytes, writing(), peer, slot.tag);
    load.under_way = true;
  }
  if (!complete(load.parcel.request)) return false;
  if (!writing()) {
    move_boxes(load.parcel.memory->data(), sub_buffer, load.aggregator, false);
    count_off(sub_buffer);
  }
  return true;
}

bool NodeBoxes::deliver(Delivery& delivery, const Slot& slot) {
  if (!complete(delivery.parcel.request)) return false;
  if (writing()) move_delivery(Direction::write, delivery, slot);
  return true;
}

bool NodeBoxes::finish_mine(Slot& slot, int sub_buffer) {
  if (!slot.mine_pending) return true;
  const Box box = arena_.box(in_node_);
  if (box.taken(sub_buffer).load(std::memory_order_acquire) != remote_.size()) return false;
  if (!writing())
    for (const auto& [aggregator, share] : slot.mine)
      move_user(Direction::read, user_, share, box.place(sub_buffer, aggregator));
  slot.mine.clear();
  slot.mine_pending = false;
  return true;
}

bool NodeBoxes::progress(int sub_buffer) {
  Slot& slot = slots_[static_cast<std::size_t>(sub_buffer)];
  std::erase_if(slot.loads, [&](Load& load) { return carry(load, slot, sub_buffer); });
  std::erase_if(slot.deliveries, [&](Delivery& delivery) { return deliver(delivery, slot); });
  const bool mine = finish_mine(slot, sub_buffer);
  return mine && slot.loads.empty() && slot.deliveries.empty();
}

}  // namespace tributary::exchange
