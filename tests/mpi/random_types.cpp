// Constructors with chosen arguments, and the comparison of every result with the MPI.
// The random arguments are chosen in random_type_arguments.cpp.
#include "random_types.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tributary::test {

namespace {

std::vector<Leaf> make_plain_leaves() {
  return {{MPI_BYTE, model_predefined(1, 1), "BYTE"},
          {MPI_CHAR, model_predefined(1, 1), "CHAR"},
          {MPI_SHORT, model_predefined(2, 2), "SHORT"},
          {MPI_INT, model_predefined(4, 4), "INT"},
          {MPI_FLOAT, model_predefined(4, 4), "FLOAT"},
          {MPI_DOUBLE, model_predefined(8, 8), "DOUBLE"},
          {MPI_LONG_LONG, model_predefined(8, 8), "LONG_LONG"},
          {MPI_LONG_DOUBLE, model_predefined(16, 16), "LONG_DOUBLE"}};
}

std::vector<Leaf> make_all_leaves() {
  std::vector<Leaf> leaves = make_plain_leaves();
  leaves.push_back({MPI_2INT, model_pair(4, 4, 4), "2INT"});
  leaves.push_back({MPI_SHORT_INT, model_pair(2, 4, 4), "SHORT_INT"});
  leaves.push_back({MPI_DOUBLE_INT, model_pair(8, 4, 8), "DOUBLE_INT"});
  leaves.push_back({MPI_LONG_INT, model_pair(8, 4, 8), "LONG_INT"});
  leaves.push_back({MPI_LONG_DOUBLE_INT, model_pair(16, 4, 16), "LONG_DOUBLE_INT"});
  return leaves;
}

void complain(const std::string& what, const std::string& recipe, std::int64_t model,
              std::int64_t mpi) {
  TypeGenerator::complaints().push_back(what + " of " + (recipe.empty() ? "a type" : recipe) +
                                        ": model " + std::to_string(model) + ", MPI " +
                                        std::to_string(mpi));
}

// Compares what both know; where the extent is the MPI's own affair, takes the MPI's.
void reconcile(MPI_Datatype handle, TypeModel& model, const std::string& recipe) {
  int size = 0;
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_size(handle, &size);
  MPI_Type_get_extent(handle, &lb, &extent);
  MPI_Type_get_true_extent(handle, &true_lb, &true_extent);
  if (size != model.size) complain("size", recipe, model.size, size);
  if (model.size > 0 && !model.true_bounds_vary) {
    if (true_lb != model.true_lb()) complain("true_lb", recipe, model.true_lb(), true_lb);
    if (true_extent != model.true_extent())
      complain("true_extent", recipe, model.true_extent(), true_extent);
  }
  if (model.bounds_vary) {
    model.lb = lb;
    model.ub = lb + extent;
    return;
  }
  if (lb != model.lb) complain("lb", recipe, model.lb, lb);
  if (extent != model.extent()) complain("extent", recipe, model.extent(), extent);
}

int mpi_order(Order order) {
  return order == Order::c ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

int mpi_distribution(Distribution distribution) {
  switch (distribution) {
    case Distribution::block:
      return MPI_DISTRIBUTE_BLOCK;
    case Distribution::cyclic:
      return MPI_DISTRIBUTE_CYCLIC;
    case Distribution::none:
      break;
  }
  return MPI_DISTRIBUTE_NONE;
}

}  // namespace

std::span<const Leaf> plain_leaves() {
  static const std::vector<Leaf> leaves = make_plain_leaves();
  return leaves;
}

std::span<const Leaf> all_leaves() {
  static const std::vector<Leaf> leaves = make_all_leaves();
  return leaves;
}

const Leaf& byte_leaf() {
  return plain_leaves().front();
}

std::vector<std::string>& TypeGenerator::complaints() {
  static std::vector<std::string> list;
  return list;
}

std::string TypeGenerator::say(const char* name, std::span<const std::int64_t> values,
                               const std::string& child) const {
  if (!options_.describe) return {};
  std::string text = std::string(name) + "(";
  for (const std::int64_t value : values) text += std::to_string(value) + ",";
  return text + child + ")";
}

bool TypeGenerator::acceptable(const TypeModel& model) const {
  if (!options_.shifted_bounds && model.lb != 0) return false;
  if (options_.file) return is_monotonic(model);
  return options_.may_overlap || !overlaps(model, 1);
}

RandomType TypeGenerator::finish(MPI_Datatype handle, TypeModel model, std::string recipe) {
  RandomType result{Datatype::owned(handle), std::move(model), std::move(recipe)};
  reconcile(handle, result.model, result.recipe);
  return result;
}

RandomType TypeGenerator::leaf() {
  const Leaf& chosen = random_.pick(leaves_);
  return {Datatype::borrowed(chosen.handle), chosen.model, options_.describe ? chosen.name : ""};
}

RandomType TypeGenerator::resized(const RandomType& child, std::int64_t lb, std::int64_t extent) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(child.handle.get(), lb, extent, &handle);
  const std::array<std::int64_t, 2> values{lb, extent};
  std::string recipe = say("resized", values, child.recipe);
  return finish(handle, model_resized(child.model, lb, extent), std::move(recipe));
}

RandomType TypeGenerator::contiguous(const RandomType& child, int count) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(count, child.handle.get(), &handle);
  const std::array<Block, 1> blocks{Block{0, count, &child.model}};
  const std::array<std::int64_t, 1> values{count};
  std::string recipe = say("contiguous", values, child.recipe);
  return finish(handle, model_blocks(blocks), std::move(recipe));
}

RandomType TypeGenerator::indexed(const RandomType& child, const std::vector<int>& lengths,
                                  const std::vector<int>& displacements) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                   child.handle.get(), &handle);
  std::vector<Block> blocks;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    blocks.push_back({displacements[i] * child.model.extent(), lengths[i], &child.model});
    values.insert(values.end(), {lengths[i], displacements[i]});
  }
  std::string recipe = say("indexed", values, child.recipe);
  return finish(handle, model_blocks(blocks), std::move(recipe));
}

RandomType TypeGenerator::array(const RandomType& child, const std::vector<int>& sizes,
                                const std::vector<int>& counts, const std::vector<int>& starts,
                                Order order) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), counts.data(),
                           starts.data(), mpi_order(order), child.handle.get(), &handle);
  std::vector<std::vector<int>> indices(sizes.size());
  std::vector<std::int64_t> values;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    for (int i = 0; i < counts[d]; ++i) indices[d].push_back(starts[d] + i);
    values.insert(values.end(), {sizes[d], counts[d], starts[d]});
  }
  std::string recipe = say(order == Order::c ? "subarray_c" : "subarray_f", values, child.recipe);
  TypeModel model = model_array(child.model, sizes, indices, order);
  return finish(handle, std::move(model), std::move(recipe));
}

RandomType TypeGenerator::grid_part(const RandomType& child, const Grid& grid) {
  const std::size_t dimensions = grid.sizes.size();
  std::vector<int> distributions;
  std::vector<int> arguments;
  std::vector<std::vector<int>> indices(dimensions);
  std::vector<std::int64_t> values{grid.processes, grid.rank};
  int rest = grid.processes;  // coordinates of a rank are in row-major order, whatever `order` is
  for (std::size_t d = 0; d < dimensions; ++d) {
    rest /= grid.extents[d];
    const int coordinate = grid.rank / rest % grid.extents[d];
    indices[d] = distributed_indices(grid.sizes[d], grid.distributions[d], grid.arguments[d],
                                     grid.extents[d], coordinate);
    distributions.push_back(mpi_distribution(grid.distributions[d]));
    arguments.push_back(grid.arguments[d] == 0 ? MPI_DISTRIBUTE_DFLT_DARG : grid.arguments[d]);
    values.insert(values.end(), {grid.sizes[d], static_cast<int>(grid.distributions[d]),
                                 grid.arguments[d], grid.extents[d]});
  }
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(grid.processes, grid.rank, static_cast<int>(dimensions), grid.sizes.data(),
                         distributions.data(), arguments.data(), grid.extents.data(),
                         mpi_order(grid.order), child.handle.get(), &handle);
  std::string recipe = say(grid.order == Order::c ? "darray_c" : "darray_f", values, child.recipe);
  TypeModel model = model_array(child.model, grid.sizes, indices, grid.order);
#ifdef MPICH_VERSION
  model.true_bounds_vary = true;
#endif
  return finish(handle, std::move(model), std::move(recipe));
}

}  // namespace tributary::test
