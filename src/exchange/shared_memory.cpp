#include "exchange/shared_memory.hpp"

#include <utility>

namespace tributary::exchange {

using execute::Share;
using execute::share_of;

SharedMemory::SharedMemory(const execute::Job& job, const Arena& arena, const Nodes& nodes,
                           std::uint64_t first_number)
    : job_(job),
      arena_(arena),
      nodes_(nodes),
      first_number_(first_number),
      user_(*job.memory, job.mine.position),
      file_(job.mine.tree),
      slots_(static_cast<std::size_t>(job.plan->sub_buffers)) {}

void SharedMemory::post(std::int64_t cycle, int sub_buffer) {
  Slot& slot = slots_[static_cast<std::size_t>(sub_buffer)];
  slot.number = first_number_ + static_cast<std::uint64_t>(cycle);
  if (job_.aggregates()) {
    slot.expected = visitors(cycle);
    Control& control = *arena_.control(job_.aggregator);
    control.arrived[sub_buffer].value.store(0, std::memory_order_relaxed);
    control.opened[sub_buffer].value.store(slot.number, std::memory_order_release);
  }
  // Each rank begins with another aggregator, so that not all of them crowd into the first one.
  const auto aggregators = static_cast<int>(job_.plan->aggregators.size());
  for (int i = 0; i < aggregators; ++i) {
    const int index = (job_.rank + i) % aggregators;
    if (arena_.control(index) == nullptr || !job_.serves(index, job_.rank)) continue;
    Share share = share_of(job_.mine, job_.placement(index, cycle));
    if (!share.empty()) slot.visits.push_back({index, std::move(share)});
  }
  progress(sub_buffer);
}

std::uint64_t SharedMemory::visitors(std::int64_t cycle) const {
  const execute::Placement placement = job_.placement(job_.aggregator, cycle);
  std::uint64_t count = 0;
  for (std::size_t rank = 0; rank < job_.parts.size(); ++rank) {
    const int number = static_cast<int>(rank);
    if (!nodes_.is_here(number) || !job_.serves(job_.aggregator, number)) continue;
    if (!share_of(job_.parts[rank], placement).empty()) ++count;
  }
  return count;
}

bool SharedMemory::visit(const Visit& visit, int sub_buffer, std::uint64_t number) {
  Control& control = *arena_.control(visit.aggregator);
  if (control.opened[sub_buffer].value.load(std::memory_order_acquire) != number) return false;
  move_direct(job_.direction(), arena_.shared(visit.aggregator, sub_buffer), visit.share, file_,
              user_);
  control.arrived[sub_buffer].value.fetch_add(1, std::memory_order_release);
  return true;
}

bool SharedMemory::progress(int sub_buffer) {
  Slot& slot = slots_[static_cast<std::size_t>(sub_buffer)];
  std::erase_if(slot.visits, [&](const Visit& one) { return visit(one, sub_buffer, slot.number); });
  if (!slot.visits.empty()) return false;
  if (!job_.aggregates()) return true;
  const auto& arrived = arena_.control(job_.aggregator)->arrived[sub_buffer].value;
  return arrived.load(std::memory_order_acquire) == slot.expected;
}

}  // namespace tributary::exchange
