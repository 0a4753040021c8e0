#include "execute/coverage.hpp"

#include <algorithm>
#include <bit>

namespace tributary::execute {
namespace {

// One bit for each byte of a sub-buffer.
class Marks {
 public:
  explicit Marks(ByteCount bytes)
      : bytes_(bytes), words_(static_cast<std::size_t>(bytes / 64 + 1)) {}

  void mark(ByteCount from, ByteCount length) {
    const ByteCount to = from + length;
    while (from < to) {
      const ByteCount bit = from % 64;
      const ByteCount count = std::min<ByteCount>(64 - bit, to - from);
      const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
      words_[static_cast<std::size_t>(from / 64)] |= ones << bit;
      from += count;
    }
  }

  Wanted pieces() const {
    Wanted wanted;
    for (ByteCount from = next(0, 0); from < bytes_;) {
      const ByteCount to = next(from, ~std::uint64_t{0});
      wanted.pieces.push_back({from, to - from});
      wanted.bytes += to - from;
      from = next(to, 0);
    }
    return wanted;
  }

 private:
  // The first place from `at` on whose bit differs from those of `skip`; at most bytes_.
  ByteCount next(ByteCount at, std::uint64_t skip) const {
    while (at < bytes_) {
      const std::uint64_t word = (words_[static_cast<std::size_t>(at / 64)] ^ skip) >> (at % 64);
      if (word != 0) return std::min<ByteCount>(at + std::countr_zero(word), bytes_);
      at = at / 64 * 64 + 64;
    }
    return bytes_;
  }

  ByteCount bytes_;
  std::vector<std::uint64_t> words_;
};

void mark_share(Marks& marks, const Share& share, view::Cursor& file) {
  for (const Slice& slice : share.slices) {
    file.seek(slice.position);
    for (ByteCount left = slice.bytes; left > 0;) {
      const view::Group group = file.take(left);
      left -= group.size();
      const ByteCount start = slice.base + (group.offset - slice.origin);
      for (std::int64_t i = 0; i < group.count; ++i)
        marks.mark(start + i * group.stride, group.length);
    }
  }
}

struct Contribution {
  const RankPart* part;
  Share share;
  Extent reach;  // of its slices' data, in the file
};

std::vector<Contribution> contributions(const Job& job, const Placement& placement) {
  std::vector<Contribution> all;
  for (std::size_t rank = 0; rank < job.parts.size(); ++rank) {
    if (!job.serves(job.aggregator, static_cast<int>(rank))) continue;
    const RankPart& part = job.parts[rank];
    Share share = share_of(part, placement);
    if (share.empty()) continue;
    view::Cursor file(part.tree, share.slices.front().position);
    const FileOffset first = file.offset();
    file.seek(share.slices.back().position + share.slices.back().bytes - 1);
    all.push_back({&part, std::move(share), {first, file.offset() + 1 - first}});
  }
  return all;
}

bool apart(std::vector<Contribution>& all) {
  std::ranges::sort(all, {}, [](const Contribution& one) { return one.reach.offset; });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].reach.offset < all[i - 1].reach.end()) return false;
  return true;
}

}  // namespace

Wanted wanted_in(const Job& job, const Placement& placement) {
  std::vector<Contribution> all = contributions(job, placement);
  ByteCount bytes = 0;
  for (const Contribution& one : all) bytes += one.share.bytes;
  // A read may fetch more than is wanted: where most of it is, all of it.
  const bool mostly = job.direction() == Direction::read && bytes >= placement.bytes / 2;
  if (bytes > 0 && (mostly || (bytes == placement.bytes && apart(all))))
    return {{{0, placement.bytes}}, placement.bytes};
  Marks marks(placement.bytes);
  for (const Contribution& one : all) {
    view::Cursor file(one.part->tree);
    mark_share(marks, one.share, file);
  }
  return marks.pieces();
}

}  // namespace tributary::execute
