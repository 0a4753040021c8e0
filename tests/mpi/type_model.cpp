#include "type_model.hpp"

#include <algorithm>
#include <cstddef>

namespace tributary::test {

std::int64_t TypeModel::true_lb() const {
  if (runs.empty()) return 0;
  return std::ranges::min_element(runs, {}, &Run::offset)->offset;
}

std::int64_t TypeModel::true_ub() const {
  if (runs.empty()) return 0;
  return std::ranges::max_element(runs, {}, &Run::end)->end();
}

void TypeModel::append(Run run) {
  if (run.length == 0) return;
  size += run.length;
  if (!runs.empty() && runs.back().end() == run.offset) {
    runs.back().length += run.length;
  } else {
    runs.push_back(run);
  }
}

TypeModel model_predefined(std::int64_t size, std::int64_t alignment) {
  TypeModel model;
  model.append({0, size});
  model.basics.push_back(static_cast<std::uint8_t>(size));
  model.ub = size;
  model.alignment = alignment;
  return model;
}

// The C struct {first; second;}: MPI_SHORT_INT and its relatives.
TypeModel model_pair(std::int64_t first_size, std::int64_t second_size, std::int64_t alignment) {
  TypeModel model;
  const std::int64_t second_at = (first_size + second_size - 1) / second_size * second_size;
  model.append({0, first_size});
  model.append({second_at, second_size});
  model.basics = {static_cast<std::uint8_t>(first_size), static_cast<std::uint8_t>(second_size)};
  model.has_pair = true;
  model.alignment = alignment;
  model.ub = (second_at + second_size + alignment - 1) / alignment * alignment;
  return model;
}

namespace {

// Lower and upper bound of all blocks; marks where the MPIs go different ways.
void bound_blocks(TypeModel& model, std::span<const Block> blocks) {
  bool first = true;
  bool all_explicit = true;
  bool padded = false;  // Open MPI pads after each block, so that their order matters
  for (const Block& block : blocks) {
    const TypeModel& type = *block.type;
    if (type.size == 0) model.has_empty_member = true;
    model.has_empty_member |= type.has_empty_member;
    model.has_pair |= type.has_pair;
    model.true_bounds_vary |= type.true_bounds_vary;
    if (block.count == 0) continue;
    const std::int64_t last = block.displacement + (block.count - 1) * type.extent();
    const std::int64_t low = std::min(block.displacement, last) + type.lb;
    const std::int64_t high = std::max(block.displacement, last) + type.ub;
    model.lb = first ? low : std::min(model.lb, low);
    model.ub = first ? high : std::max(model.ub, high);
    model.alignment = std::max(model.alignment, type.alignment);
    model.explicit_bounds |= type.explicit_bounds;
    all_explicit &= type.explicit_bounds;
    padded |= model.extent() % model.alignment != 0;
    first = false;
  }
  const bool mixed = model.explicit_bounds && !all_explicit;
  model.true_bounds_vary |= model.has_empty_member;
  model.bounds_vary = padded || mixed || model.has_empty_member || model.size == 0;
}

}  // namespace

TypeModel model_blocks(std::span<const Block> blocks) {
  TypeModel model;
  for (const Block& block : blocks) {
    const TypeModel& type = *block.type;
    for (std::int64_t copy = 0; copy < block.count; ++copy) {
      const std::int64_t at = block.displacement + copy * type.extent();
      for (const Run& run : type.runs) model.append({at + run.offset, run.length});
      model.basics.insert(model.basics.end(), type.basics.begin(), type.basics.end());
    }
  }
  bound_blocks(model, blocks);
  return model;
}

TypeModel model_resized(const TypeModel& type, std::int64_t lb, std::int64_t extent) {
  TypeModel model = type;
  model.lb = lb;
  model.ub = lb + extent;
  model.explicit_bounds = true;
  model.bounds_vary = false;
  return model;
}

TypeModel model_array(const TypeModel& type, std::span<const int> sizes,
                      std::span<const std::vector<int>> indices, Order order) {
  const std::size_t dimensions = sizes.size();
  std::vector<std::int64_t> strides(dimensions);
  std::int64_t elements = 1;
  std::int64_t selected = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = order == Order::fortran ? i : dimensions - 1 - i;
    strides[d] = elements;
    elements *= sizes[d];
    selected *= static_cast<std::int64_t>(indices[d].size());
  }
  std::vector<Block> blocks;
  for (std::int64_t n = 0; n < selected; ++n) {
    std::int64_t rest = n;  // fastest dimension first
    std::int64_t element = 0;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = order == Order::fortran ? i : dimensions - 1 - i;
      const auto choices = static_cast<std::int64_t>(indices[d].size());
      element += indices[d][static_cast<std::size_t>(rest % choices)] * strides[d];
      rest /= choices;
    }
    blocks.push_back({element * type.extent(), 1, &type});
  }
  const bool empty_member = type.size == 0 || type.has_empty_member;
  TypeModel model = model_resized(model_blocks(blocks), 0, elements * type.extent());
  model.has_empty_member = empty_member;
  model.true_bounds_vary = empty_member || type.true_bounds_vary;
  model.bounds_vary = model.size == 0 || empty_member;
  return model;
}

std::vector<int> distributed_indices(int size, Distribution distribution, int argument,
                                     int processes, int coordinate) {
  std::vector<int> owned;
  int block = argument;
  if (distribution == Distribution::none)
    return distributed_indices(size, Distribution::block, size, 1, 0);
  if (argument == 0)
    block = distribution == Distribution::block ? (size + processes - 1) / processes : 1;
  for (int i = 0; i < size; ++i) {
    if (i / block % processes == coordinate) owned.push_back(i);
  }
  return owned;
}

bool overlaps(const TypeModel& type, std::int64_t count) {
  std::vector<Run> all;
  for (std::int64_t copy = 0; copy < count; ++copy) {
    for (const Run& run : type.runs) all.push_back({run.offset + copy * type.extent(), run.length});
  }
  std::ranges::sort(all, {}, &Run::offset);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].offset < all[i - 1].end()) return true;
  }
  return false;
}

bool is_monotonic(const TypeModel& type) {
  std::int64_t position = 0;
  for (const Run& run : type.runs) {
    if (run.offset < position) return false;
    position = run.end();
  }
  return type.size == 0 || type.extent() >= type.true_extent();
}

}  // namespace tributary::test
