#include "exchange/arena.hpp"

#include <algorithm>
#include <new>

namespace tributary::exchange {
namespace {

constexpr ByteCount kLine = 64;

ByteCount lines(ByteCount bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

// A window's memory in any process, from the next cache line on: Open MPI aligns it to 8 bytes
// only. Pages are mapped whole, so every process comes to the same byte.
std::byte* on_line(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (kLine - address % kLine) % kLine;
}

// Memory that the ranks of a node share; each asks for its own amount.
bool make_shared_window(const Nodes& nodes, ByteCount bytes, MPI_Win& window, std::byte*& own) {
  void* memory = nullptr;
  const MPI_Aint size = bytes > 0 ? bytes + kLine : 0;
  if (PMPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, nodes.node_comm(), &memory, &window) !=
      MPI_SUCCESS)
    return false;
  own = bytes > 0 ? on_line(memory) : nullptr;
  return true;
}

std::byte* memory_of(MPI_Win window, int rank_in_node) {
  void* base = nullptr;
  MPI_Aint length = 0;
  int unit = 0;
  PMPI_Win_shared_query(window, rank_in_node, &length, &unit, &base);
  return on_line(base);
}

}  // namespace

// For each sub-buffer: ready, taken (a line each), lengths, places.
ByteCount Box::bytes(int sub_buffers, int aggregators, ByteCount place_bytes) {
  return sub_buffers *
         (2 * kLine + lines(ByteCount{8} * aggregators) + lines(place_bytes) * aggregators);
}

std::byte* Box::sub_box(int sub_buffer) const {
  return memory_ + Box::bytes(1, aggregators_, place_bytes_) * sub_buffer;
}

std::atomic<std::uint64_t>& Box::ready(int sub_buffer) const {
  return *std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(sub_box(sub_buffer)));
}

std::atomic<std::uint64_t>& Box::taken(int sub_buffer) const {
  return *std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(sub_box(sub_buffer) + kLine));
}

std::int64_t& Box::length(int sub_buffer, int aggregator) const {
  return *std::launder(
      reinterpret_cast<std::int64_t*>(sub_box(sub_buffer) + 2 * kLine + ByteCount{8} * aggregator));
}

std::byte* Box::place(int sub_buffer, int aggregator) const {
  return sub_box(sub_buffer) + 2 * kLine + lines(ByteCount{8} * aggregators_) +
         lines(place_bytes_) * aggregator;
}

Result<std::unique_ptr<Arena>> Arena::make(const plan::CollectivePlan& plan, MPI_Comm comm,
                                           const Nodes& nodes) {
  std::unique_ptr<Arena> arena(new Arena);
  arena->shuffle_ = plan.shuffle;
  arena->aggregators_ = plan.aggregators;
  arena->bytes_ = lines(plan.sub_buffer_bytes);
  arena->place_bytes_ = plan.combined_bytes_max;
  arena->sub_buffers_ = plan.sub_buffers;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const auto found = std::ranges::find(plan.aggregators, rank);
  const bool aggregates = found != plan.aggregators.end();
  if (aggregates) arena->own_index_ = static_cast<int>(found - plan.aggregators.begin());
  switch (plan.shuffle) {
    case plan::Shuffle::two_sided:
      if (aggregates)
        arena->memory_.reset(new (
            std::nothrow) std::byte[static_cast<std::size_t>(arena->bytes_ * arena->sub_buffers_)]);
      if (aggregates && !arena->memory_)
        return Error{ErrorKind::no_memory, "no memory for the collective buffer"};
      break;
    case plan::Shuffle::one_sided_fence:
    case plan::Shuffle::one_sided_lock:
      if (!arena->make_windows(comm, aggregates))
        return Error{ErrorKind::unsupported_operation, "the MPI makes no windows here"};
      break;
    case plan::Shuffle::shared:
      if (!arena->make_shared(nodes, aggregates))
        return Error{ErrorKind::unsupported_operation, "the MPI makes no shared windows here"};
      break;
  }
  return arena;
}

Arena::~Arena() {
  for (MPI_Win& window : windows_) PMPI_Win_free(&window);
}

bool Arena::fits(const plan::CollectivePlan& plan) const {
  return plan.shuffle == shuffle_ && plan.aggregators == aggregators_ &&
         plan.sub_buffer_bytes <= bytes_ && plan.sub_buffers <= sub_buffers_ &&
         plan.combined_bytes_max == place_bytes_;
}

std::uint64_t Arena::begin(std::int64_t cycles) {
  const std::uint64_t first = sequence_ + 1;
  sequence_ += static_cast<std::uint64_t>(cycles);
  return first;
}

bool Arena::make_windows(MPI_Comm comm, bool aggregates) {
  for (int i = 0; i < sub_buffers_; ++i) {
    MPI_Win window = MPI_WIN_NULL;
    void* memory = nullptr;
    if (PMPI_Win_allocate(aggregates ? bytes_ : 0, 1, MPI_INFO_NULL, comm, &memory, &window) !=
        MPI_SUCCESS)
      return false;
    PMPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    windows_.push_back(window);
    window_memory_.push_back(static_cast<std::byte*>(memory));
  }
  return true;
}

// Ranks that share a node find each other's segments; those of other nodes are null.
bool Arena::make_shared(const Nodes& nodes, bool aggregates) {
  const ByteCount bytes =
      aggregates ? static_cast<ByteCount>(sizeof(Control)) + bytes_ * sub_buffers_ : 0;
  MPI_Win window = MPI_WIN_NULL;
  std::byte* memory = nullptr;
  if (!make_shared_window(nodes, bytes, window, memory)) return false;
  windows_.push_back(window);
  if (aggregates) new (memory) Control{};
  PMPI_Barrier(nodes.node_comm());
  for (const int rank : aggregators_)
    segments_.push_back(nodes.is_here(rank) ? memory_of(window, nodes.rank_in_node(rank))
                                            : nullptr);
  return place_bytes_ == 0 || make_boxes(nodes);
}

bool Arena::make_boxes(const Nodes& nodes) {
  const auto aggregators = static_cast<int>(aggregators_.size());
  MPI_Win window = MPI_WIN_NULL;
  std::byte* memory = nullptr;
  if (!make_shared_window(nodes, Box::bytes(sub_buffers_, aggregators, place_bytes_), window,
                          memory))
    return false;
  windows_.push_back(window);
  const Box own(memory, aggregators, place_bytes_);
  for (int i = 0; i < sub_buffers_; ++i) {
    new (&own.ready(i)) std::atomic<std::uint64_t>(0);
    new (&own.taken(i)) std::atomic<std::uint64_t>(0);
  }
  PMPI_Barrier(nodes.node_comm());
  for (std::size_t i = 0; i < nodes.ranks_of(nodes.here()).size(); ++i)
    boxes_.push_back(memory_of(window, static_cast<int>(i)));
  return true;
}

Box Arena::box(int rank_in_node) const {
  return {boxes_[static_cast<std::size_t>(rank_in_node)], static_cast<int>(aggregators_.size()),
          place_bytes_};
}

std::byte* Arena::own(int sub_buffer) const {
  if (own_index_ < 0) return nullptr;
  if (shuffle_ == plan::Shuffle::shared) return shared(own_index_, sub_buffer);
  if (memory_) return memory_.get() + bytes_ * sub_buffer;
  return window_memory_[static_cast<std::size_t>(sub_buffer)];
}

std::byte* Arena::shared(int aggregator, int sub_buffer) const {
  std::byte* const segment = segments_[static_cast<std::size_t>(aggregator)];
  return segment == nullptr ? nullptr : segment + sizeof(Control) + bytes_ * sub_buffer;
}

Control* Arena::control(int aggregator) const {
  return std::launder(reinterpret_cast<Control*>(segments_[static_cast<std::size_t>(aggregator)]));
}

}  // namespace tributary::exchange
