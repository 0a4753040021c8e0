// File domains: which bytes of the accessed range each aggregator owns.
//
//   even            |000000|111111|222222|      equal parts, wherever that cuts
//   aligned         |0000000|1111|2222222|      the same, cuts moved to stripe or lock borders
//   static_cyclic   |0|1|2|0|1|2|0|1|2|0|       stripe i belongs to aggregator i mod n, always
//   group_cyclic    |0|1|0|1|0|2|3|2|3|2|       groups of as many aggregators as servers; each
//                                               group has an aligned part, dealt out inside it
//
// Papers: dissertation 2.2 and 5.1; group-cyclic is Liao's. A domain is symbolic (blocks at a
// constant stride), so its size does not grow with the file's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "plan/layout.hpp"

namespace tributary::plan {

enum class Partitioning : std::uint8_t { even, aligned, static_cyclic, group_cyclic };
std::string_view name_of(Partitioning partitioning);

// Blocks of `block` bytes, `stride` apart, the first at `anchor`; only what lies in `range`
// counts, so the first and the last block may be shorter than the others.
struct Domain {
  Extent range;
  FileOffset anchor = 0;
  ByteCount block = 1;
  ByteCount stride = 1;
  std::int64_t blocks = 0;

  bool empty() const { return blocks == 0; }
  Extent block_at(std::int64_t index) const;
  ByteCount bytes() const;
};

struct Division {
  Partitioning partitioning = Partitioning::even;
  Extent accessed;  // from the first to the last byte that any rank wants
  int aggregators = 1;
  ByteCount unit_bytes = 1;        // blocks of a domain: a stripe, or what a cycle holds
  ByteCount alignment_bytes = 1;   // of blocks and, but for `even`, of cuts
  ByteCount domain_bytes_min = 0;  // even and aligned: no smaller domain than this
  int servers = 1;                 // group_cyclic: aggregators of a group
};

// One domain for each aggregator; together they tile `accessed` exactly.
std::vector<Domain> make_domains(const Division& division);

}  // namespace tributary::plan
