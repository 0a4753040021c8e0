// How one rank's own access is done: a pure function from facts to a strategy and the reason
// for it. Facts come from file/ (shapes of memory and view, storage traits, hints); execute/
// carries the plan out. No MPI here: tests, `explain` and a simulator call the same function.
//
//   direct   one run in memory, one run in the file: no copy, one call
//   packed   memory is scattered: pack into a bounded buffer, then write run by run
//   list     pieces are large: one entry per piece, neighbours in the file share a call
//   sieve    read: fetch whole windows, pick out the pieces
//   rmw      write: fetch a window, change the pieces, write it back, under a lock
//   mapped   write: store the pieces into the mapped file; touches no other byte
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace tributary::plan {

enum class Strategy : std::uint8_t { direct, packed, list, sieve, rmw, mapped };
std::string_view name_of(Strategy strategy);

enum class Choice : std::uint8_t { automatic, enable, disable };

struct IndependentFacts {
  Direction direction = Direction::read;
  ByteCount bytes = 0;
  // memory side
  bool memory_contiguous = true;
  ByteCount memory_mean_run = 0;
  // file side: the part of the view that this call touches
  Extent span;  // first to last byte
  ByteCount file_mean_run = 0;
  bool ascending = true;  // the view never steps back or overlaps itself
  // storage
  bool mappings_coherent = false;
  bool readable = true;
  std::int64_t call_ns = 2000;
  std::int64_t store_page_ns = 6000;
  // Every writer of the file that there may be takes locks: read-modify-write loses nothing,
  // and a write that rewrites nothing has to lock, too.
  bool writers_lock = false;
  bool atomic = false;  // the file is in atomic mode
};

struct IndependentHints {
  bool automatic = true;  // else `forced` is taken where it can be
  Strategy forced = Strategy::direct;
  Choice map_files = Choice::automatic;
  Choice sieve_reads = Choice::automatic;
  Choice sieve_writes = Choice::automatic;
  ByteCount read_buffer_bytes = 0;
  ByteCount write_buffer_bytes = 0;
  ByteCount sieve_gap = 0;
};

// What is locked meanwhile. Writes that rewrite nothing share their span, so that they do not
// wait for each other, only for those who rewrite.
enum class Locking : std::uint8_t { none, span_shared, span_exclusive, window_exclusive };

struct IndependentPlan {
  Strategy strategy = Strategy::direct;
  std::string_view reason;
  ByteCount buffer_bytes = 0;  // bound on staging and on sieve windows
  ByteCount gap_bytes = 0;     // unwanted bytes that are cheaper than a further call
  Locking locking = Locking::none;
  std::int64_t cost_ns = 0;  // estimate, as an order of magnitude
};

// Whether writes through a view of such runs would gain by read-modify-write. The ranks of a
// file ask this when they set a view: where it is so for one of them, all of them lock.
bool wants_rewriting(const IndependentFacts& view_facts);

// Whether pieces of that size may gain by going through aggregators on a file system that every
// rank reaches through one page cache.
bool small_pieces(ByteCount mean_run);

IndependentPlan plan_independent(const IndependentFacts& facts, const IndependentHints& hints);

}  // namespace tributary::plan
