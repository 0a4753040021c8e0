#include "plan/partition.hpp"

#include <algorithm>
#include <array>

namespace tributary::plan {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The blocks first, first + step, ... of a grid of `unit` bytes that touch the range.
Domain cyclic_domain(Extent range, ByteCount unit, std::int64_t remainder, std::int64_t step) {
  Domain domain{range, 0, unit, unit * step, 0};
  if (range.empty()) return domain;
  const std::int64_t low = range.offset / unit;
  const std::int64_t first = low + (remainder - low % step + step) % step;
  domain.anchor = first * unit;
  if (domain.anchor < range.end())
    domain.blocks = ceil_div(range.end() - domain.anchor, domain.stride);
  return domain;
}

// A part of its own. With `aligned` its blocks lie on the grid of units, else they count from
// its start.
Domain whole_domain(Extent range, ByteCount unit, bool aligned) {
  if (aligned) return cyclic_domain(range, unit, 0, 1);
  return {range, range.offset, unit, unit, ceil_div(range.length, unit)};
}

// Cuts the range into `parts`, each cut moved down to a multiple of `alignment`.
std::vector<Extent> cut(Extent range, std::int64_t parts, ByteCount alignment) {
  std::vector<Extent> pieces;
  const ByteCount part = range.length / parts;
  const ByteCount rest = range.length % parts;
  FileOffset from = range.offset;
  for (std::int64_t i = 1; i <= parts; ++i) {
    FileOffset to = range.offset + part * i + std::min<ByteCount>(i, rest);
    if (i < parts) to = std::clamp(to / alignment * alignment, from, range.end());
    pieces.push_back({from, to - from});
    from = to;
  }
  return pieces;
}

std::vector<Domain> contiguous_domains(const Division& division, ByteCount cut_alignment) {
  std::int64_t parts = division.aggregators;
  if (division.domain_bytes_min > 0)
    parts =
        std::clamp<std::int64_t>(division.accessed.length / division.domain_bytes_min, 1, parts);
  const ByteCount alignment = division.alignment_bytes;
  const bool on_grid = alignment > 1 && division.unit_bytes % alignment == 0;
  std::vector<Domain> domains;
  for (const Extent& piece : cut(division.accessed, parts, cut_alignment))
    domains.push_back(whole_domain(piece, division.unit_bytes, on_grid));
  domains.resize(static_cast<std::size_t>(division.aggregators), whole_domain({}, 1, false));
  return domains;
}

std::vector<Domain> static_cyclic(const Division& division) {
  std::vector<Domain> domains;
  domains.reserve(static_cast<std::size_t>(division.aggregators));
  for (int i = 0; i < division.aggregators; ++i)
    domains.push_back(
        cyclic_domain(division.accessed, division.unit_bytes, i, division.aggregators));
  return domains;
}

std::vector<Domain> group_cyclic(const Division& division) {
  const int size = std::clamp(division.servers, 1, division.aggregators);
  const std::int64_t groups = ceil_div(division.aggregators, size);
  std::vector<Domain> domains;
  for (const Extent& part : cut(division.accessed, groups, division.unit_bytes)) {
    const int members = std::min(size, division.aggregators - static_cast<int>(domains.size()));
    for (int i = 0; i < members; ++i)
      domains.push_back(cyclic_domain(part, division.unit_bytes, i, members));
  }
  return domains;
}

}  // namespace

std::string_view name_of(Partitioning partitioning) {
  constexpr std::array<std::string_view, 4> kNames{"even", "aligned", "static_cyclic",
                                                   "group_cyclic"};
  return kNames[static_cast<std::size_t>(partitioning)];
}

Extent Domain::block_at(std::int64_t index) const {
  const FileOffset start = anchor + index * stride;
  const FileOffset from = std::max(start, range.offset);
  const FileOffset to = std::min(start + block, range.end());
  return {from, std::max<ByteCount>(to - from, 0)};
}

ByteCount Domain::bytes() const {
  if (blocks == 0) return 0;
  if (blocks == 1) return block_at(0).length;
  return block_at(0).length + (blocks - 2) * block + block_at(blocks - 1).length;
}

std::vector<Domain> make_domains(const Division& division) {
  switch (division.partitioning) {
    case Partitioning::even:
      return contiguous_domains(division, 1);
    case Partitioning::aligned:
      return contiguous_domains(division, division.alignment_bytes);
    case Partitioning::static_cyclic:
      return static_cyclic(division);
    case Partitioning::group_cyclic:
      return group_cyclic(division);
  }
  return {};
}

}  // namespace tributary::plan
