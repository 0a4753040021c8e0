// A decorator that disturbs the calls of the storage it wraps, by rule. Only for tests: unit
// tests wrap by hand, debug builds of the library wrap when TRIBUTARY_FAULTS is set.
//
//   rules := rule { ',' rule }
//   rule  := operation ':' fault { ':' key '=' number }
//   operation := open read write sync resize reserve size lock map close
//   fault     := an errno name (EIO ENOSPC EINTR ...) | short
//   keys: rank  only on this rank            nth    only from the n-th call on (1 = first)
//         times at most so many times        every  only each n-th call
//         after only where the access reaches beyond this file offset; a write first moves
//               what lies before it, as a full disk does
//
//   write:ENOSPC:after=4096:rank=1,read:short:every=2
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/storage.hpp"

namespace tributary::storage {

enum class Operation : std::uint8_t {
  open,
  read,
  write,
  sync,
  resize,
  reserve,
  size,
  lock,
  map,
  close
};

struct FaultRule {
  Operation operation = Operation::read;
  int error_number = 0;  // 0: a short transfer
  std::optional<std::int64_t> rank;
  std::int64_t nth = 1;
  std::int64_t every = 1;
  std::optional<std::int64_t> times;
  std::optional<FileOffset> after;
  std::int64_t calls = 0;  // seen so far

  // Counts a call that ends at `end`; true if it must fail.
  bool strikes(FileOffset end);
};

Result<std::vector<FaultRule>> parse_faults(std::string_view text);

// The rules that concern one rank.
std::vector<FaultRule> faults_of_rank(std::vector<FaultRule> rules, int rank);

// The errno with which an open must fail, or 0.
int open_fault(std::vector<FaultRule>& rules);

std::unique_ptr<Storage> make_faulty(std::unique_ptr<Storage> inner, std::vector<FaultRule> rules);

}  // namespace tributary::storage
