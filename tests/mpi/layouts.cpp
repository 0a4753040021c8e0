#include "layouts.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tributary::test {

namespace {

TypeOptions file_options(const LayoutFrame& frame, const Leaf& etype) {
  TypeOptions options = frame.type_options;
  options.file = true;
  options.may_overlap = false;
  options.unit = etype.model.extent();
  return options;
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

LayoutBuilder::LayoutBuilder(Random& common, Random& own, const Leaf& etype, LayoutFrame frame)
    : common_(common),
      own_(own),
      etype_(&etype),
      frame_(frame),
      common_types_(common, file_options(frame, etype), std::span(&etype, 1)),
      own_types_(own, file_options(frame, etype), std::span(&etype, 1)),
      unit_(etype.model.extent()) {}

Layout LayoutBuilder::build() {
  Layout layout;
  switch (common_.small(0, 8)) {
    case 0:
    case 1:
    case 2:
      layout = slots();
      break;
    case 3:
      layout = grid();
      break;
    case 4:
      layout = slabs();
      break;
    case 5:
    case 6:
      layout = deal();
      break;
    case 7:
      layout = regions();
      break;
    default:
      layout = same_view();
      break;
  }
  shift_back(layout);
  layout.filetype.handle.commit();
  return layout;
}

RandomType LayoutBuilder::simple_type(TypeGenerator& generator, std::int64_t count) {
  RandomType type = generator.leaf();
  return count == 1 ? std::move(type) : generator.contiguous(type, static_cast<int>(count));
}

// A random type whose data ends before `span_max`; if the dice say otherwise, a plain one.
RandomType LayoutBuilder::own_type(std::int64_t span_max) {
  RandomType type = own_types_.make_sized(etype_->model.size);
  if (type.model.true_ub() <= span_max && type.model.extent() > 0) return type;
  return simple_type(own_types_, std::clamp<std::int64_t>(span_max / unit_, 1, own_.small(1, 20)));
}

// A view that starts at the frame's origin and may be used from its first byte on.
Layout LayoutBuilder::tiled(const char* name, RandomType filetype) {
  Layout layout;
  layout.name = name;
  layout.displacement = frame_.origin;
  layout.filetype = std::move(filetype);
  const TypeModel& model = layout.filetype.model;
  if (model.size == 0) return layout;
  const std::int64_t tiles = std::max<std::int64_t>(1, frame_.span_bytes / model.extent());
  layout.end = tiles * (model.size / etype_->model.size);
  return layout;
}

// The same bytes seen from an earlier displacement: offsets start at some later tile.
void LayoutBuilder::shift_back(Layout& layout) {
  const TypeModel& model = layout.filetype.model;
  const bool wanted = common_.chance(1, 4);
  if (model.size == 0 || !wanted) return;
  const std::int64_t tiles = own_.skewed(layout.displacement / model.extent());
  layout.displacement -= tiles * model.extent();
  layout.begin += tiles * (model.size / etype_->model.size);
  layout.end += tiles * (model.size / etype_->model.size);
}

// A place among the ranks: not always in the order of their numbers.
int LayoutBuilder::take_rank() {
  std::vector<int> places(static_cast<std::size_t>(frame_.ranks));
  std::iota(places.begin(), places.end(), 0);
  if (common_.chance(1, 2)) common_.shuffle(places);
  return places[static_cast<std::size_t>(frame_.rank)];
}

Layout LayoutBuilder::slots() {
  const std::int64_t gap = unit_ * common_.skewed(4);
  const int place = take_rank();
  RandomType type = own_type(std::max(frame_.span_bytes / frame_.ranks, unit_));
  std::int64_t slot = round_up(type.model.true_ub(), unit_);
  MPI_Allreduce(MPI_IN_PLACE, &slot, 1, MPI_INT64_T, MPI_MAX, frame_.communicator);
  slot += gap;
  const std::int64_t lb = own_.chance(1, 4) ? type.model.lb : 0;
  RandomType spread = own_types_.resized(type, lb, slot * frame_.ranks);
  Layout layout = tiled("slots", std::move(spread));
  layout.displacement += place * slot;
  return layout;
}

Layout LayoutBuilder::grid() {
  TypeGenerator::Grid grid;
  grid.processes = frame_.ranks;
  grid.rank = take_rank();
  grid.order = common_.chance(1, 2) ? Order::c : Order::fortran;
  const int dimensions = common_.small(1, 3);
  std::vector<int> extents(static_cast<std::size_t>(dimensions), 1);
  for (int rest = frame_.ranks, factor = 2; rest > 1;) {
    if (rest % factor != 0) {
      ++factor;
      continue;
    }
    extents[static_cast<std::size_t>(common_.small(0, dimensions - 1))] *= factor;
    rest /= factor;
  }
  const int extra_max = dimensions == 1 ? 8 : 9 / dimensions;  // keeps the whole array small
  for (const int processes : extents) {
    const auto distribution = processes == 1
                                  ? common_.pick({Distribution::none, Distribution::block})
                                  : common_.pick({Distribution::block, Distribution::cyclic});
    const int smallest = frame_.empty_views ? 1 : processes;
    const int size = common_.small(smallest, processes + extra_max);
    const bool small_blocks = distribution == Distribution::cyclic && common_.chance(1, 2);
    const int argument = small_blocks ? common_.small(1, frame_.empty_views ? 3 : 1) : 0;
    // With default blocks the last processes may get nothing, e.g. 5 elements over 4.
    const bool uneven = distribution == Distribution::block && size % processes != 0;
    grid.sizes.push_back(uneven && !frame_.empty_views ? size / processes * processes : size);
    grid.distributions.push_back(distribution);
    grid.arguments.push_back(argument);
  }
  grid.extents = extents;
  const RandomType element = simple_type(common_types_, common_.small(1, 3));
  return tiled("grid", own_types_.grid_part(element, grid));
}

Layout LayoutBuilder::slabs() {
  const int dimensions = common_.small(1, 3);
  const auto cut = static_cast<std::size_t>(common_.small(0, dimensions - 1));
  const Order order = common_.chance(1, 2) ? Order::c : Order::fortran;
  const int place = take_rank();
  std::vector<int> sizes;
  std::vector<int> counts;
  std::vector<int> starts;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    const int whole = common_.small(1, 8 / dimensions) + (d == cut ? frame_.ranks : 0);
    const int margin = common_.small(0, 2);
    sizes.push_back(whole + margin);
    counts.push_back(whole);
    starts.push_back(common_.small(0, margin));
  }
  // Each place takes one row at least; what is left over goes to the last.
  const int share = common_.small(1, counts[cut] / frame_.ranks);
  starts[cut] += place * share;
  counts[cut] = place == frame_.ranks - 1 ? counts[cut] - place * share : share;
  const RandomType element = simple_type(common_types_, common_.small(1, 3));
  return tiled("slabs", own_types_.array(element, sizes, counts, starts, order));
}

Layout LayoutBuilder::deal() {
  const int pieces = frame_.ranks + static_cast<int>(common_.skewed(40));
  const int place = take_rank();
  std::vector<int> owners;  // `ranks` means nobody
  for (int i = 0; i < pieces; ++i) {
    owners.push_back(i < frame_.ranks ? i : common_.small(0, frame_.ranks));
  }
  common_.shuffle(owners);
  std::vector<int> lengths;
  std::vector<int> displacements;
  int at = 0;
  for (const int owner : owners) {
    const int length = 1 + static_cast<int>(common_.skewed(8));
    if (owner == place) {
      lengths.push_back(length);
      displacements.push_back(at);
    }
    at += length;
  }
  const RandomType mine = own_types_.indexed(own_types_.leaf(), lengths, displacements);
  return tiled("deal", own_types_.resized(mine, 0, at * unit_));
}

Layout LayoutBuilder::regions() {
  const std::int64_t region =
      round_up(std::max(frame_.span_bytes / frame_.ranks, 2 * unit_), unit_) + common_.skewed(100);
  const int place = take_rank();
  Layout layout = tiled("regions", own_type(region - unit_));
  const TypeModel& model = layout.filetype.model;
  const std::int64_t tiles = 1 + (region - model.true_ub()) / model.extent();
  layout.displacement += place * region;
  layout.end = tiles * (model.size / etype_->model.size);
  return layout;
}

Layout LayoutBuilder::same_view() {
  RandomType type = common_types_.make_sized(etype_->model.size);
  if (type.model.true_ub() > frame_.span_bytes || type.model.extent() <= 0) {
    type = simple_type(common_types_, 3);
  }
  Layout layout = tiled("same_view", std::move(type));
  const std::int64_t share = std::max<std::int64_t>(1, layout.end / frame_.ranks);
  layout.begin = take_rank() * share;
  layout.end = layout.begin + share;
  return layout;
}

}  // namespace tributary::test
