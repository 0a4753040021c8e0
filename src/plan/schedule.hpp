// Schedules: in which order a collective's cycles are exchanged and moved to or from the file, as
// a program of steps. Paper: dissertation 3.1.1, algorithms 1 to 4, for any number of sub-buffers.
// A generator writes the program of a write; the program of a read is its mirror image in time
// (what was posted first is awaited last), so there is one text for both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace tributary::plan {

enum class Operation : std::uint8_t { post_exchange, await_exchange, post_io, await_io };
std::string_view name_of(Operation operation);

struct Step {
  Operation operation = Operation::post_exchange;
  std::int64_t cycle = 0;
  int sub_buffer = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

enum class Schedule : std::uint8_t { none, comm, write, write_comm, write_comm_2 };
std::string_view name_of(Schedule schedule);
// Whether file access goes on beside other work: it needs a thread of its own.
bool overlaps_io(Schedule schedule);

using Program = std::vector<Step>;
Program make_program(Schedule schedule, Direction direction, std::int64_t cycles, int sub_buffers);
Program mirror(Program program, std::int64_t cycles, int sub_buffers);

}  // namespace tributary::plan
