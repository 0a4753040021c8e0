#include "access.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "plan/describe.hpp"
#include "view/array.hpp"
#include "view/build.hpp"

namespace tributary::tools {
namespace {

using plan::exact_bytes;
using view::Tree;

constexpr std::int64_t kIndexMax = std::int64_t{1} << 40;
constexpr std::int64_t kRunsMax = 100'000'000;  // of all ranks, where runs are listed one by one

class Collector {
 public:
  Collector(int ranks, FileOffset offset) : offset_(offset) {
    accesses_.ranks.reserve(static_cast<std::size_t>(ranks));
  }
  void add(const Tree& tree) {
    plan::RankAccess access;
    if (!tree.empty()) {
      access.span = {tree.lower() + offset_, tree.upper() - tree.lower()};
      access.bytes = tree.size();
      access.mean_run = tree.mean_run();
      accesses_.ascending = accesses_.ascending && tree.node->ascending;
    }
    accesses_.ranks.push_back(access);
  }
  Accesses finish(std::string summary) && {
    accesses_.summary = std::move(summary);
    return std::move(accesses_);
  }

 private:
  FileOffset offset_;
  Accesses accesses_;
};

// What all kinds are made from.
struct Request {
  const Reader& access;
  int ranks;
  FileOffset offset;  // of the whole access: a header of the file, say
};

// --- blocks --------------------------------------------------------------------------------
Accesses read_contiguous(const Request& request) {
  const Reader& access = request.access;
  access.expect_keys({"kind", "offset", "bytes_per_rank", "gap"});
  const ByteCount bytes = access.at("bytes_per_rank").bytes();
  const std::optional<Reader> gap = access.find("gap");
  const ByteCount step = access.sum(bytes, gap ? gap->bytes() : 0);
  access.product(request.ranks, step);
  Collector collector(request.ranks, request.offset);
  for (int rank = 0; rank < request.ranks; ++rank)
    collector.add(view::make_block(bytes, rank * step));
  return std::move(collector).finish("contiguous: " + exact_bytes(bytes) + " for each rank" +
                                     (step > bytes ? ", " + exact_bytes(step) + " apart" : ""));
}

// Rank r has the blocks r, r + ranks, r + 2 ranks ...
Accesses read_interleaved(const Request& request) {
  const Reader& access = request.access;
  access.expect_keys({"kind", "offset", "block", "count"});
  const ByteCount block = access.at("block").bytes(1);
  const std::int64_t count = access.at("count").integer(0, kBytesMax);
  const ByteCount row = access.product(request.ranks, block);
  access.product(row, count);
  Collector collector(request.ranks, request.offset);
  for (int rank = 0; rank < request.ranks; ++rank)
    collector.add(view::make_strided(count, row, view::make_block(block, rank * block)));
  return std::move(collector).finish("interleaved: " + std::to_string(count) + " blocks of " +
                                     exact_bytes(block) + " for each rank");
}

// --- arrays --------------------------------------------------------------------------------
enum class Distribution : std::uint8_t { even, block, cyclic, none };

struct Dimension {
  std::int64_t size = 1;
  std::int64_t parts = 1;  // processes along it
  Distribution distribution = Distribution::even;
  std::int64_t block = 1;  // of `block` and `cyclic`
};

// The first ones of the processes get one more where it does not come out even.
view::IndexShare even_share(const Dimension& dimension, std::int64_t part) {
  const std::int64_t each = dimension.size / dimension.parts;
  const std::int64_t more = dimension.size % dimension.parts;
  return view::contiguous_share(part * each + std::min(part, more), each + (part < more ? 1 : 0));
}

view::IndexShare share_of(const Dimension& dimension, std::int64_t part) {
  switch (dimension.distribution) {
    case Distribution::even:
      return even_share(dimension, part);
    case Distribution::block:
      return view::block_share(dimension.size, dimension.block, part);
    case Distribution::cyclic:
      return view::cyclic_share(dimension.size, dimension.block, dimension.parts, part);
    case Distribution::none:
      break;
  }
  return view::contiguous_share(0, dimension.size);
}

struct Array {
  std::vector<Dimension> dimensions;  // the fastest first
  ByteCount element_bytes = 1;
  bool fortran = false;
};

// Processes are numbered row by row, as MPI does in its grids, whatever the array's order.
Tree part_of(const Array& array, int rank) {
  const std::size_t count = array.dimensions.size();
  std::vector<std::int64_t> place(count);
  std::int64_t rest = rank;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = array.fortran ? count - 1 - i : i;
    place[d] = rest % array.dimensions[d].parts;
    rest /= array.dimensions[d].parts;
  }
  Tree tree = view::make_block(array.element_bytes);
  ByteCount pitch = array.element_bytes;
  for (std::size_t d = 0; d < count; ++d) {
    tree = view::add_dimension(tree, share_of(array.dimensions[d], place[d]), pitch);
    pitch *= array.dimensions[d].size;
  }
  return tree;
}

std::string times(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : " x ") + std::to_string(number);
  return text;
}

std::vector<std::int64_t> read_grid(const Reader& grid, std::size_t dimensions, int ranks) {
  std::vector<std::int64_t> parts = grid.integers(1, ranks);
  if (parts.size() != dimensions)
    grid.fail("it has " + std::to_string(parts.size()) + " dimensions, the array has " +
              std::to_string(dimensions));
  std::int64_t processes = 1;
  for (const std::int64_t part : parts) processes = grid.product(processes, part);
  if (processes != ranks)
    grid.fail(times(parts) + " = " + std::to_string(processes) + " processes, but there are " +
              std::to_string(ranks) + " ranks");
  return parts;
}

// Sizes, grid, element and order; distributions are added by the caller.
Array read_array(const Request& request, std::string& summary) {
  const Reader& access = request.access;
  const Reader sizes_at = access.at("sizes");
  const std::vector<std::int64_t> sizes = sizes_at.integers(1, kIndexMax);
  if (sizes.empty()) sizes_at.fail("an array has at least one dimension");
  const std::vector<std::int64_t> grid = read_grid(access.at("grid"), sizes.size(), request.ranks);
  constexpr std::array<std::string_view, 2> kOrders{"C", "Fortran"};
  const std::optional<Reader> order = access.find("order");
  Array array;
  array.fortran = order && order->choice(kOrders) == 1;
  array.element_bytes = access.at("element_bytes").bytes(1);
  ByteCount total = array.element_bytes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    total = sizes_at.product(total, sizes[i]);
    array.dimensions.push_back({sizes[i], grid[i]});
  }
  summary = times(sizes) + " elements of " + exact_bytes(array.element_bytes) + " in " +
            (array.fortran ? "Fortran" : "C") + " order, grid of " + times(grid);
  return array;
}

Accesses collect(Array array, const Request& request, std::string summary) {
  if (!array.fortran) std::ranges::reverse(array.dimensions);
  Collector collector(request.ranks, request.offset);
  for (int rank = 0; rank < request.ranks; ++rank) collector.add(part_of(array, rank));
  return std::move(collector).finish(std::move(summary));
}

Accesses read_subarray(const Request& request) {
  request.access.expect_keys({"kind", "offset", "sizes", "grid", "element_bytes", "order"});
  std::string summary;
  Array array = read_array(request, summary);
  return collect(std::move(array), request, "subarray: " + summary);
}

// "block", "block(100)", "cyclic", "cyclic(4)" or "none".
void read_distribution(const Reader& item, Dimension& dimension) {
  const std::string text = item.text();
  const std::string word = text.substr(0, text.find('('));
  std::optional<std::int64_t> argument;
  if (word.size() < text.size()) {
    if (text.back() != ')') item.fail("'" + text + "' has no closing parenthesis");
    const std::size_t length = text.size() - word.size() - 2;
    argument =
        item.integer_from(std::string_view(text).substr(word.size() + 1, length), 1, kIndexMax);
  }
  if (word == "cyclic") {
    dimension.distribution = Distribution::cyclic;
    dimension.block = argument.value_or(1);
    item.product(dimension.block, dimension.parts);
  } else if (word == "block") {
    dimension.distribution = Distribution::block;
    dimension.block = argument.value_or((dimension.size + dimension.parts - 1) / dimension.parts);
    if (item.product(dimension.block, dimension.parts) < dimension.size)
      item.fail(std::to_string(dimension.parts) + " blocks of " + std::to_string(dimension.block) +
                " do not hold " + std::to_string(dimension.size) + " indices");
  } else if (word == "none" && !argument) {
    dimension.distribution = Distribution::none;
    if (dimension.parts != 1)
      item.fail("what is not distributed has 1 process in the grid, not " +
                std::to_string(dimension.parts));
  } else {
    item.fail("'" + text +
              "' is not a distribution; allowed: block, block(n), cyclic, cyclic(n), none");
  }
}

Accesses read_darray(const Request& request) {
  const Reader& access = request.access;
  access.expect_keys({"kind", "offset", "sizes", "grid", "element_bytes", "order", "distribution"});
  std::string summary;
  Array array = read_array(request, summary);
  const Reader distribution = access.at("distribution");
  const std::vector<Reader> items = distribution.items();
  if (items.size() != array.dimensions.size())
    distribution.fail("it has " + std::to_string(items.size()) + " entries, the array has " +
                      std::to_string(array.dimensions.size()) + " dimensions");
  summary += ", dealt out";
  for (std::size_t i = 0; i < items.size(); ++i) {
    read_distribution(items[i], array.dimensions[i]);
    summary += (i == 0 ? " " : " x ") + items[i].text();
  }
  return collect(std::move(array), request, "darray: " + summary);
}

// --- irregular -----------------------------------------------------------------------------
Tree listed_runs(const Reader& list, ByteCount& total) {
  view::RunList runs;
  for (const Reader& item : list.items()) {
    const std::vector<std::int64_t> pair = item.integers(0, kBytesMax);
    if (pair.size() != 2) item.fail("an extent is [offset, length]");
    item.sum(pair[0], pair[1]);
    total = item.sum(total, pair[1]);
    runs.add(pair[0], pair[1]);
  }
  return std::move(runs).finish();
}

Accesses read_listed(const Request& request, const Reader& extents) {
  const std::vector<Reader> lists = extents.items();
  if (lists.size() != static_cast<std::size_t>(request.ranks))
    extents.fail("it has lists for " + std::to_string(lists.size()) + " ranks, but there are " +
                 std::to_string(request.ranks));
  ByteCount total = 0;
  Collector collector(request.ranks, request.offset);
  for (const Reader& list : lists) collector.add(listed_runs(list, total));
  return std::move(collector).finish("irregular: extents as listed");
}

// Runs of one length that do not overlap: places are drawn in what the runs leave free, and each
// run then moves the ones behind it on.
Tree random_runs(std::mt19937_64& engine, std::int64_t count, ByteCount length, ByteCount span) {
  const auto choices = static_cast<std::uint64_t>(span - count * length + 1);
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  for (std::int64_t& place : places) place = static_cast<std::int64_t>(engine() % choices);
  std::ranges::sort(places);
  view::RunList runs;
  runs.reserve(places.size());
  for (std::int64_t i = 0; i < count; ++i)
    runs.add(places[static_cast<std::size_t>(i)] + i * length, length);
  return std::move(runs).finish();
}

Accesses read_random(const Request& request, const Reader& random) {
  random.expect_keys({"count", "length", "span", "seed"});
  const std::int64_t count = random.at("count").integer(0, kRunsMax / request.ranks);
  const ByteCount length = random.at("length").bytes(1);
  const ByteCount span = random.at("span").bytes(1);
  if (random.product(count, length) > span)
    random.at("span").fail("it does not hold the " + std::to_string(count) + " runs of a rank");
  random.product(request.ranks, count * length);
  const std::optional<Reader> seed = random.find("seed");
  std::mt19937_64 engine(static_cast<std::uint64_t>(seed ? seed->integer(0, INT64_MAX) : 1));
  Collector collector(request.ranks, request.offset);
  for (int rank = 0; rank < request.ranks; ++rank)
    collector.add(random_runs(engine, count, length, span));
  return std::move(collector).finish("irregular: " + std::to_string(count) + " random runs of " +
                                     exact_bytes(length) + " for each rank within " +
                                     exact_bytes(span));
}

Accesses read_irregular(const Request& request) {
  const Reader& access = request.access;
  access.expect_keys({"kind", "offset", "extents", "random"});
  const std::optional<Reader> extents = access.find("extents");
  const std::optional<Reader> random = access.find("random");
  if (extents.has_value() == random.has_value())
    access.fail("an irregular access has either extents or random");
  return extents ? read_listed(request, *extents) : read_random(request, *random);
}

}  // namespace

Accesses read_access(const Reader& access, int ranks) {
  using Read = Accesses (*)(const Request&);
  constexpr std::array<std::string_view, 5> kKinds{"contiguous", "interleaved", "subarray",
                                                   "darray", "irregular"};
  constexpr std::array<Read, 5> kReads{read_contiguous, read_interleaved, read_subarray,
                                       read_darray, read_irregular};
  const std::size_t kind = access.at("kind").choice(kKinds);
  const std::optional<Reader> offset = access.find("offset");
  return kReads[kind]({access, ranks, offset ? offset->bytes() : 0});
}

}  // namespace tributary::tools
