#include "mpi/decode.hpp"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/darray.hpp"
#include "mpi/flavour.hpp"
#include "view/build.hpp"

namespace tributary::mpi {
namespace {

using view::Tree;
using view::Type;

Type decode_fresh(MPI_Datatype type);

// Inner types come as new references, except predefined ones and Fortran's F90 types.
class InnerTypes {
 public:
  explicit InnerTypes(std::vector<MPI_Datatype> types) : types_(std::move(types)) {}
  InnerTypes(const InnerTypes&) = delete;
  InnerTypes& operator=(const InnerTypes&) = delete;
  ~InnerTypes() {
    for (MPI_Datatype& type : types_)
      if (!is_named(type)) PMPI_Type_free(&type);
  }
  MPI_Datatype operator[](std::size_t index) const { return types_[index]; }

 private:
  std::vector<MPI_Datatype> types_;
};

using Numbers = std::span<const std::int64_t>;

std::size_t index_of(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

// A block of `length` copies of the inner type, as vectors and index lists repeat it.
Tree block_of(const Type& inner, std::int64_t length) {
  return view::make_repeated(inner, length);
}

bool gapless(const Type& inner) {
  return inner.tree.is_block() && inner.extent == inner.size();
}

Tree decode_vector(Numbers n, const Type& inner, std::int64_t stride_unit) {
  return view::make_strided(n[0], n[2] * stride_unit, block_of(inner, n[1]));
}

// Blocks of the inner type at displacements; `length(i)` copies of it in block i.
template <typename Length>
Tree decode_blocks(Numbers displacements, std::int64_t unit, const Type& inner, Length length) {
  if (gapless(inner)) {
    view::RunList runs;
    runs.reserve(displacements.size());
    for (std::size_t i = 0; i < displacements.size(); ++i)
      runs.add(displacements[i] * unit + inner.tree.at, length(i) * inner.extent);
    return std::move(runs).finish();
  }
  std::unordered_map<std::int64_t, Tree> shapes;  // equal blocks share one node
  std::vector<Tree> parts;
  parts.reserve(displacements.size());
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    auto [found, fresh] = shapes.try_emplace(length(i));
    if (fresh) found->second = block_of(inner, length(i));
    parts.push_back(found->second.moved(displacements[i] * unit));
  }
  return view::make_sequence(parts);
}

// numbers: count, lengths[count], displacements[count]
Tree decode_indexed(Numbers n, const Type& inner, std::int64_t unit) {
  const Numbers lengths = n.subspan(1, index_of(n[0]));
  return decode_blocks(n.subspan(1 + index_of(n[0]), index_of(n[0])), unit, inner,
                       [&](std::size_t i) { return lengths[i]; });
}

// numbers: count, length, displacements[count]
Tree decode_indexed_block(Numbers n, const Type& inner, std::int64_t unit) {
  return decode_blocks(n.subspan(2, index_of(n[0])), unit, inner,
                       [&](std::size_t) { return n[1]; });
}

// numbers: count, lengths[count], displacements[count]; one type for each
Tree decode_struct(Numbers n, const InnerTypes& types) {
  const std::size_t count = index_of(n[0]);
  std::vector<Tree> parts;
  parts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (n[1 + i] == 0) continue;
    parts.push_back(block_of(decode_fresh(types[i]), n[1 + i]).moved(n[1 + count + i]));
  }
  return view::make_sequence(parts);
}

// Parts without data are not decoded at all: their bounds may be beyond any limit.
bool holds_nothing(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return size == 0;
}

// MPI_SHORT_INT is the one predefined type with a hole between its parts; the other pair
// types only have room behind them.
Tree decode_named(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  if (type != MPI_SHORT_INT) return view::make_block(size);
  struct ShortInt {
    short value;
    int index;
  };
  view::RunList runs;
  runs.add(0, sizeof(short));
  runs.add(offsetof(ShortInt, index), sizeof(int));
  return std::move(runs).finish();
}

Tree decode_tree(MPI_Datatype type) {
  if (holds_nothing(type)) return {};
  Contents contents = contents_of(type);
  if (contents.types.empty()) return decode_named(type);
  const InnerTypes types(std::move(contents.types));
  const Numbers n = contents.numbers;
  if (contents.combiner == MPI_COMBINER_STRUCT) return decode_struct(n, types);
  const Type inner = decode_fresh(types[0]);
  switch (contents.combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return block_of(inner, n[0]);
    case MPI_COMBINER_VECTOR:
      return decode_vector(n, inner, inner.extent);
    case MPI_COMBINER_HVECTOR:
      return decode_vector(n, inner, 1);
    case MPI_COMBINER_INDEXED:
      return decode_indexed(n, inner, inner.extent);
    case MPI_COMBINER_HINDEXED:
      return decode_indexed(n, inner, 1);
    case MPI_COMBINER_INDEXED_BLOCK:
      return decode_indexed_block(n, inner, inner.extent);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return decode_indexed_block(n, inner, 1);
    case MPI_COMBINER_SUBARRAY:
      return decode_subarray(n, inner);
    case MPI_COMBINER_DARRAY:
      return decode_darray(n, inner);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return inner.tree;
    default:  // unheard of: decode() sees that the size is wrong
      return {};
  }
}

Type decode_fresh(MPI_Datatype type) {
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  PMPI_Type_get_extent_x(type, &lower_bound, &extent);
  return {decode_tree(type), lower_bound, extent};
}

bool within_limits(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(type, &size);
  if (size == MPI_UNDEFINED || size < 0 || size > kOffsetLimit) return false;
  if (size == 0) return true;  // never looked into, and the bounds may be anything
  PMPI_Type_get_true_extent_x(type, &lower, &extent);
  return extent >= 0 && extent <= kOffsetLimit && lower > -kOffsetLimit && lower < kOffsetLimit;
}

// --- what is kept ------------------------------------------------------------------------

int copy_attribute(MPI_Datatype, int, void*, void* value, void* copied, int* flag) {
  *static_cast<void**>(copied) = new Type(*static_cast<const Type*>(value));
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Datatype, int, void* value, void*) {
  delete static_cast<const Type*>(value);
  return MPI_SUCCESS;
}

struct Named {
  MPI_Datatype type;
  std::unique_ptr<const Type> decoded;
};

struct Cache {
  std::shared_mutex mutex;
  std::vector<Named> named;  // a few dozen at most
  int key = MPI_KEYVAL_INVALID;
};

Cache& cache() {
  static Cache* const instance = new Cache;  // never destroyed: used until the process ends
  return *instance;
}

// The predefined type that this thread used last: most programs use one or two.
struct Recent {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const Type* decoded = nullptr;
};
thread_local Recent recent;

// The caller holds the mutex, shared or not.
const Type* look_up(MPI_Datatype type) {
  for (const Named& named : cache().named)
    if (named.type == type) {
      recent = {type, named.decoded.get()};
      return recent.decoded;
    }
  if (cache().key == MPI_KEYVAL_INVALID) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, cache().key, static_cast<void*>(&value), &found);
  return found ? static_cast<const Type*>(value) : nullptr;
}

const Type* find(MPI_Datatype type) {
  if (recent.type == type) return recent.decoded;
  const std::shared_lock guard(cache().mutex);
  return look_up(type);
}

const Type* keep(MPI_Datatype type, std::unique_ptr<Type> decoded) {
  const std::unique_lock guard(cache().mutex);
  if (const Type* kept = look_up(type)) return kept;  // another thread was faster
  if (is_named(type))
    return cache().named.emplace_back(Named{type, std::move(decoded)}).decoded.get();
  if (cache().key == MPI_KEYVAL_INVALID)
    PMPI_Type_create_keyval(copy_attribute, delete_attribute, &cache().key, nullptr);
  PMPI_Type_set_attr(type, cache().key, decoded.get());
  return decoded.release();
}

}  // namespace

bool is_named(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Result<const Type*> decode(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return Error{ErrorKind::type, "the datatype is null"};
  if (const Type* decoded = find(type)) return decoded;
  if (!within_limits(type)) return Error{ErrorKind::type, "the datatype is too large"};
  auto decoded = std::make_unique<Type>(decode_fresh(type));
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  if (decoded->size() != size)
    return Error{ErrorKind::type, "the datatype is made in a way that is not known"};
  return keep(type, std::move(decoded));
}

void release_decoded() {
  const std::unique_lock guard(cache().mutex);
  cache().named.clear();
  cache().named.shrink_to_fit();
  recent = {};
  if (cache().key != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&cache().key);
}

}  // namespace tributary::mpi
