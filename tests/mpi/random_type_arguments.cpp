// The random arguments: where blocks lie, how long they are, which constructor comes next.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "random_types.hpp"

namespace tributary::test {

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

// Bytes from the first to past the last one that `count` consecutive copies touch.
std::int64_t footprint(const TypeModel& type, std::int64_t count) {
  return type.true_extent() + std::max<std::int64_t>(count - 1, 0) * std::abs(type.extent());
}

}  // namespace

// Blocks of one child type: lengths in children, displacements in bytes and in children.
struct TypeGenerator::Parts {
  std::vector<int> lengths;
  std::vector<MPI_Aint> bytes;
  std::vector<int> elements;
  std::vector<Block> blocks;
  std::vector<std::int64_t> values;
};

int TypeGenerator::copies(const RandomType& child, std::int64_t bytes_max) {
  const std::int64_t room = bytes_max / std::max<std::int64_t>(child.model.size, 1);
  return static_cast<int>(1 + random_.skewed(std::clamp<std::int64_t>(room - 1, 0, 31)));
}

// Blocks follow each other with gaps of zero or more units, so that they do not overlap; a memory
// type then takes them in any order and from any origin, or anywhere if overlap is allowed.
TypeGenerator::Parts TypeGenerator::place(const TypeModel& child, std::int64_t bytes_max,
                                          bool in_bytes, bool equal_lengths) {
  const std::int64_t room = bytes_max / std::max<std::int64_t>(child.size, 1);
  int left = static_cast<int>(1 + random_.skewed(std::clamp<std::int64_t>(room - 1, 0, 31)));
  const std::int64_t step = in_bytes ? options_.unit : std::max<std::int64_t>(child.extent(), 1);
  const int equal = random_.small(1, left);
  std::int64_t cursor = random_.skewed(options_.file ? 4 : 8);  // in steps
  if (!options_.file) cursor -= random_.skewed(16);
  std::vector<Block> blocks;
  while (left > 0) {
    int length = equal_lengths ? equal : random_.small(1, left);
    if (!equal_lengths && options_.empty_parts && random_.chance(1, 10)) length = 0;
    if (length > left) break;
    if (options_.may_overlap && random_.chance(1, 4)) cursor = random_.between(-8, 8);
    blocks.push_back({cursor, length, &child});
    cursor += (footprint(child, length) + step - 1) / step + random_.skewed(6);
    left -= std::max(length, 1);
  }
  if (!options_.file && random_.chance(1, 2)) random_.shuffle(blocks);
  Parts parts;
  for (const Block& block : blocks) {
    const std::int64_t in_steps = block.displacement;
    const std::int64_t bytes = in_steps * (in_bytes ? step : child.extent());
    parts.lengths.push_back(static_cast<int>(block.count));
    parts.bytes.push_back(bytes);
    parts.elements.push_back(static_cast<int>(in_steps));
    parts.blocks.push_back({bytes, block.count, &child});
    parts.values.insert(parts.values.end(), {block.count, in_bytes ? bytes : in_steps});
  }
  return parts;
}

RandomType TypeGenerator::random_contiguous(const RandomType& child, std::int64_t bytes_max) {
  int count = copies(child, bytes_max);
  if (options_.empty_parts && random_.chance(1, 32)) count = 0;
  return contiguous(child, count);
}

RandomType TypeGenerator::random_vector(const RandomType& child, std::int64_t bytes_max,
                                        bool in_bytes) {
  const int total = copies(child, bytes_max);
  const int length = options_.empty_parts && random_.chance(1, 32) ? 0 : random_.small(1, total);
  const int count = std::max(1, total / std::max(length, 1));
  const std::int64_t step =
      in_bytes ? options_.unit : std::max<std::int64_t>(child.model.extent(), 1);
  std::int64_t stride =
      (footprint(child.model, length) + step - 1) / step + random_.skewed(6);  // in steps
  if (!options_.file && random_.chance(1, 3)) stride = -stride;
  if (options_.may_overlap && random_.chance(1, 4)) stride = random_.between(-2, 2);
  // Open MPI 4.1 takes a stride of -1 byte for "none given" and makes a contiguous type.
  if (stride == -1 && (in_bytes || child.model.extent() == 1)) stride = -2;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  if (in_bytes) {
    MPI_Type_create_hvector(count, length, stride * step, child.handle.get(), &handle);
  } else {
    MPI_Type_vector(count, length, static_cast<int>(stride), child.handle.get(), &handle);
  }
  const std::int64_t stride_bytes = stride * (in_bytes ? step : child.model.extent());
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back({i * stride_bytes, length, &child.model});
  const std::array<std::int64_t, 3> values{count, length, in_bytes ? stride_bytes : stride};
  std::string recipe = say(in_bytes ? "hvector" : "vector", values, child.recipe);
  return finish(handle, model_blocks(blocks), std::move(recipe));
}

RandomType TypeGenerator::random_indexed(const RandomType& child, std::int64_t bytes_max) {
  const bool in_bytes = random_.chance(1, 2);
  const bool equal = random_.chance(1, 2);
  const Parts parts = place(child.model, bytes_max, in_bytes, equal);
  const int count = static_cast<int>(parts.lengths.size());
  const int length = parts.lengths.front();
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  if (in_bytes && equal) {
    MPI_Type_create_hindexed_block(count, length, parts.bytes.data(), child.handle.get(), &handle);
  } else if (in_bytes) {
    MPI_Type_create_hindexed(count, parts.lengths.data(), parts.bytes.data(), child.handle.get(),
                             &handle);
  } else if (equal) {
    MPI_Type_create_indexed_block(count, length, parts.elements.data(), child.handle.get(),
                                  &handle);
  } else {
    MPI_Type_indexed(count, parts.lengths.data(), parts.elements.data(), child.handle.get(),
                     &handle);
  }
  const char* const names[] = {"indexed", "indexed_block", "hindexed", "hindexed_block"};
  std::string recipe = say(names[(in_bytes ? 2 : 0) + (equal ? 1 : 0)], parts.values, child.recipe);
  return finish(handle, model_blocks(parts.blocks), std::move(recipe));
}

RandomType TypeGenerator::random_struct(const RandomType& child, int depth,
                                        std::int64_t bytes_max) {
  const int count = random_.small(1, 4);
  std::vector<RandomType> others;
  for (int i = 1; i < count; ++i) others.push_back(make(depth - 1, bytes_max / 3));
  std::vector<const RandomType*> members{&child};
  for (const RandomType& other : others) members.push_back(&other);
  if (!options_.file) random_.shuffle(members);
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<int> lengths(members.size());
  std::vector<MPI_Aint> displacements(members.size());
  std::int64_t cursor = options_.file ? 0 : options_.unit * random_.between(-16, 16);
  if (!options_.file) random_.shuffle(order);
  for (const std::size_t i : order) {
    const TypeModel& type = members[i]->model;
    lengths[i] = copies(*members[i], bytes_max / count);
    if (options_.empty_parts && random_.chance(1, 16)) lengths[i] = 0;
    cursor = round_up(cursor, options_.unit) + options_.unit * random_.skewed(8);
    displacements[i] = options_.file ? cursor : cursor - type.true_lb();
    if (options_.may_overlap && random_.chance(1, 8)) displacements[i] = random_.between(-8, 8);
    cursor = displacements[i] + type.true_lb() + footprint(type, lengths[i]);
  }
  std::vector<MPI_Datatype> handles;
  std::vector<Block> blocks;
  std::string recipe = options_.describe ? "struct(" : "";
  for (std::size_t i = 0; i < members.size(); ++i) {
    handles.push_back(members[i]->handle.get());
    blocks.push_back({displacements[i], lengths[i], &members[i]->model});
    const std::array<std::int64_t, 2> values{lengths[i], displacements[i]};
    recipe += say("", values, members[i]->recipe);
  }
  if (options_.describe) recipe += ")";
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(static_cast<int>(members.size()), lengths.data(), displacements.data(),
                         handles.data(), &handle);
  return finish(handle, model_blocks(blocks), std::move(recipe));
}

RandomType TypeGenerator::random_array(const RandomType& child, std::int64_t bytes_max) {
  const int dimensions = random_.small(1, 3);
  int left = copies(child, bytes_max);
  std::vector<int> sizes;
  std::vector<int> counts;
  std::vector<int> starts;
  for (int d = 0; d < dimensions; ++d) {
    const int count = random_.small(1, std::min(left, 8));
    const int size = count + random_.small(0, 3);
    left /= count;
    counts.push_back(count);
    sizes.push_back(size);
    starts.push_back(random_.small(0, size - count));
  }
  const Order order = random_.chance(1, 2) ? Order::c : Order::fortran;
  return array(child, sizes, counts, starts, order);
}

RandomType TypeGenerator::random_grid(const RandomType& child, std::int64_t bytes_max) {
  if (child.model.size == 0) return duplicate(child);  // Open MPI refuses a darray of nothing
  Grid grid;
  const int dimensions = random_.small(1, 3);
  int left = copies(child, bytes_max);
  grid.order = random_.chance(1, 2) ? Order::c : Order::fortran;
  for (int d = 0; d < dimensions; ++d) {
    const auto distribution =
        random_.pick({Distribution::block, Distribution::cyclic, Distribution::none});
    const int processes = distribution == Distribution::none ? 1 : random_.small(1, 3);
    const int size = random_.small(1, std::min(left, 6)) * processes + random_.small(0, 2);
    left = std::max(1, left * processes / size);
    int argument = 0;
    if (distribution == Distribution::block && random_.chance(1, 2)) {
      argument = (size + processes - 1) / processes + random_.small(0, 1);
    } else if (distribution == Distribution::cyclic && random_.chance(1, 2)) {
      argument = random_.small(1, 3);
    }
    grid.sizes.push_back(size);
    grid.distributions.push_back(distribution);
    grid.arguments.push_back(argument);
    grid.extents.push_back(processes);
    grid.processes *= processes;
  }
  grid.rank = random_.small(0, grid.processes - 1);
  return grid_part(child, grid);
}

RandomType TypeGenerator::random_resized(const RandomType& child) {
  const TypeModel& model = child.model;
  const std::int64_t unit = options_.unit;
  std::int64_t lb = random_.chance(1, 2) ? model.lb : unit * random_.between(-4, 8);
  std::int64_t extent = round_up(model.true_extent(), unit) + unit * random_.skewed(10);
  if (!options_.file && options_.may_overlap && random_.chance(1, 2)) {
    extent = random_.between(1, std::max<std::int64_t>(extent, 1));  // copies overlap
  }
  return resized(child, lb, std::max<std::int64_t>(extent, 1));
}

// The column of a matrix: copies interleave, each as far from the next as one element is long.
RandomType TypeGenerator::random_column(const RandomType& child, std::int64_t bytes_max) {
  const std::int64_t extent = child.model.extent();
  if (extent <= 0 || extent < child.model.true_extent()) return duplicate(child);
  const int rows = copies(child, bytes_max);
  const int columns = static_cast<int>(std::clamp<std::int64_t>(
      bytes_max / (rows * std::max<std::int64_t>(child.model.size, 1)), 1, 9));
  const std::int64_t lb = child.model.lb;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, columns, child.handle.get(), &handle);
  std::vector<Block> blocks;
  for (int i = 0; i < rows; ++i) blocks.push_back({i * columns * extent, 1, &child.model});
  const std::array<std::int64_t, 3> values{rows, 1, columns};
  std::string recipe = say("vector", values, child.recipe);
  const RandomType column = finish(handle, model_blocks(blocks), std::move(recipe));
  return contiguous(resized(column, lb, extent), columns);
}

RandomType TypeGenerator::duplicate(const RandomType& child) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_dup(child.handle.get(), &handle);
  TypeModel model = child.model;
  std::string recipe = say("dup", {}, child.recipe);
  return finish(handle, std::move(model), std::move(recipe));
}

RandomType TypeGenerator::wrap(const RandomType& child, int depth, std::int64_t bytes_max) {
  switch (random_.small(0, options_.file ? 12 : 13)) {
    case 0:
      return random_contiguous(child, bytes_max);
    case 1:
    case 2:
      return random_vector(child, bytes_max, false);
    case 3:
      return random_vector(child, bytes_max, true);
    case 4:
    case 5:
    case 6:
      return random_indexed(child, bytes_max);
    case 7:
    case 8:
      return random_struct(child, depth, bytes_max);
    case 9:
      return random_array(child, bytes_max);
    case 10:
      return random_grid(child, bytes_max);
    case 11:
      return random_resized(child);
    case 12:
      return duplicate(child);
    default:
      return random_column(child, bytes_max);
  }
}

RandomType TypeGenerator::make(int depth, std::int64_t bytes_max) {
  if (depth <= 0) return leaf();
  // Inner types get a share of the room, else the outermost constructor could copy nothing.
  RandomType child = make(depth - 1, bytes_max / (1 + random_.small(1, 4)));
  RandomType wrapped = wrap(child, depth, bytes_max);
  return acceptable(wrapped.model) ? std::move(wrapped) : std::move(child);
}

RandomType TypeGenerator::make() {
  RandomType result = make(random_.small(0, options_.depth_max), options_.bytes_max);
  result.handle.commit();
  return result;
}

RandomType TypeGenerator::make_sized(std::int64_t granule) {
  RandomType result = make(random_.small(0, options_.depth_max), options_.bytes_max);
  const auto missing = [&] {
    return static_cast<int>(granule / std::gcd(result.model.size, granule));
  };
  if (result.model.size > 0 && missing() > 1) {
    const std::int64_t span = round_up(result.model.true_extent(), options_.unit);
    if (result.model.extent() < span) result = resized(result, result.model.lb, span);
    result = contiguous(result, missing());
  }
  if (result.model.size == 0 || missing() > 1 || !acceptable(result.model)) {
    result = leaf();
    if (missing() > 1) result = contiguous(result, missing());
  }
  result.handle.commit();
  return result;
}

}  // namespace tributary::test
