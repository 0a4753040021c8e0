#include "plan/schedule.hpp"

#include <algorithm>
#include <array>

namespace tributary::plan {
namespace {

// Writes steps down; steps of cycles that do not exist are left out, which spares the generators
// every special case at the ends.
class Writer {
 public:
  Writer(std::int64_t cycles, int sub_buffers) : cycles_(cycles), sub_buffers_(sub_buffers) {}

  std::int64_t cycles() const { return cycles_; }
  int sub_buffers() const { return sub_buffers_; }
  void post_exchange(std::int64_t cycle) { add(Operation::post_exchange, cycle); }
  void await_exchange(std::int64_t cycle) { add(Operation::await_exchange, cycle); }
  void post_io(std::int64_t cycle) { add(Operation::post_io, cycle); }
  void await_io(std::int64_t cycle) { add(Operation::await_io, cycle); }
  void exchange(std::int64_t cycle) {
    post_exchange(cycle);
    await_exchange(cycle);
  }
  void io(std::int64_t cycle) {
    post_io(cycle);
    await_io(cycle);
  }
  Program take() { return std::move(program_); }

 private:
  void add(Operation operation, std::int64_t cycle) {
    if (cycle >= 0 && cycle < cycles_)
      program_.push_back({operation, cycle, static_cast<int>(cycle % sub_buffers_)});
  }
  std::int64_t cycles_;
  int sub_buffers_;
  Program program_;
};

//   exchange  00  11  22
//   file        00  11  22
void none(Writer& out) {
  for (std::int64_t c = 0; c < out.cycles(); ++c) {
    out.exchange(c);
    out.io(c);
  }
}

// Algorithm 1: the next exchanges are under way while this cycle is written.
//   exchange  00 11111 22222
//   file         00    11    22
void comm(Writer& out) {
  const std::int64_t ahead = out.sub_buffers() - 1;
  for (std::int64_t c = 0; c < ahead; ++c) out.post_exchange(c);
  for (std::int64_t c = 0; c < out.cycles(); ++c) {
    out.post_exchange(c + ahead);
    out.await_exchange(c);
    out.io(c);
  }
}

// Algorithm 2: this cycle is exchanged while the ones before it are written.
//   exchange  00 11 22
//   file         00000 11111 222
void write(Writer& out) {
  const std::int64_t behind = out.sub_buffers() - 1;
  for (std::int64_t c = 0; c < out.cycles() + behind; ++c) {
    if (c < out.cycles()) out.exchange(c);
    out.post_io(c);
    out.await_io(c - behind);
  }
}

// Algorithm 3: a write and the next exchange start together and are awaited together.
//   exchange  00 11111 22222
//   file         00000 11111 222
void write_comm(Writer& out) {
  const std::int64_t behind = out.sub_buffers() - 2;
  out.exchange(0);
  for (std::int64_t c = 0; c < out.cycles() + behind; ++c) {
    out.post_io(c);
    out.post_exchange(c + 1);
    out.await_exchange(c + 1);
    out.await_io(c - behind);
  }
}

// Algorithm 4: data flow. What ends is followed at once by what comes next on that sub-buffer.
//   exchange  00  22
//              11  33
//   file        00  22
//                11  33
void write_comm_2(Writer& out) {
  const std::int64_t n = out.sub_buffers();
  for (std::int64_t group = 0; group < out.cycles() + n; group += n) {
    for (std::int64_t c = group; c < group + n; ++c) {
      out.await_io(c - n);
      out.post_exchange(c);
    }
    for (std::int64_t c = group; c < group + n; ++c) {
      out.await_exchange(c);
      out.post_io(c);
    }
  }
}

Operation mirrored(Operation operation) {
  switch (operation) {
    case Operation::post_exchange:
      return Operation::await_exchange;
    case Operation::await_exchange:
      return Operation::post_exchange;
    case Operation::post_io:
      return Operation::await_io;
    case Operation::await_io:
      return Operation::post_io;
  }
  return operation;
}

void generate(Schedule schedule, Writer& out) {
  if (out.sub_buffers() < 2) return none(out);  // nothing to overlap in
  switch (schedule) {
    case Schedule::none:
      return none(out);
    case Schedule::comm:
      return comm(out);
    case Schedule::write:
      return write(out);
    case Schedule::write_comm:
      return write_comm(out);
    case Schedule::write_comm_2:
      return write_comm_2(out);
  }
}

}  // namespace

std::string_view name_of(Operation operation) {
  constexpr std::array<std::string_view, 4> kNames{"post_exchange", "await_exchange", "post_io",
                                                   "await_io"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::string_view name_of(Schedule schedule) {
  constexpr std::array<std::string_view, 5> kNames{"none", "comm", "write", "write_comm",
                                                   "write_comm_2"};
  return kNames[static_cast<std::size_t>(schedule)];
}

bool overlaps_io(Schedule schedule) {
  return schedule != Schedule::none && schedule != Schedule::comm;
}

Program mirror(Program program, std::int64_t cycles, int sub_buffers) {
  std::ranges::reverse(program);
  for (Step& step : program) {
    step.operation = mirrored(step.operation);
    step.cycle = cycles - 1 - step.cycle;
    step.sub_buffer = static_cast<int>(step.cycle % sub_buffers);
  }
  return program;
}

Program make_program(Schedule schedule, Direction direction, std::int64_t cycles, int sub_buffers) {
  Writer out(cycles, sub_buffers);
  generate(schedule, out);
  return direction == Direction::write ? out.take() : mirror(out.take(), cycles, sub_buffers);
}

}  // namespace tributary::plan
