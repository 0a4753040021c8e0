// The view engine against a byte-by-byte model: every tree is also kept as the plain list of
// its data displacements, made by the simplest possible code.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "view/build.hpp"
#include "view/copy.hpp"
#include "view/count.hpp"
#include "view/cursor.hpp"
#include "view/file_view.hpp"
#include "view/pieces.hpp"

namespace tributary::view {
namespace {

using Bytes = std::vector<std::int64_t>;  // displacement of each data byte, in data order

struct Model {
  Tree tree;
  Bytes bytes;
};

Bytes walk(const Tree& tree, ByteCount from, ByteCount limit) {
  Bytes bytes;
  for (Cursor cursor(tree, from); cursor.remaining() > 0;) {
    EXPECT_EQ(cursor.position(), from + static_cast<ByteCount>(bytes.size()));
    EXPECT_GE(cursor.remaining(), 1);
    const std::int64_t offset = cursor.offset();
    const Group group = cursor.take(limit);
    EXPECT_EQ(group.offset, offset);
    EXPECT_LE(group.size(), limit);
    EXPECT_GE(group.size(), 1);
    for (std::int64_t i = 0; i < group.count; ++i)
      for (ByteCount b = 0; b < group.length; ++b)
        bytes.push_back(group.offset + i * group.stride + b);
  }
  return bytes;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t in(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Model model(int depth) {
    if (depth == 0 || in(0, 4) == 0) return block();
    switch (in(0, 2)) {
      case 0:
        return strided(depth);
      case 1:
        return runs();
      default:
        return sequence(depth);
    }
  }

 private:
  Model block() {
    const std::int64_t size = in(0, 9);
    const std::int64_t at = in(-20, 20);
    Model model{make_block(size, at), Bytes(static_cast<std::size_t>(size))};
    std::iota(model.bytes.begin(), model.bytes.end(), at);
    return model;
  }
  Model strided(int depth) {
    const Model child = model(depth - 1);
    const std::int64_t count = in(0, 5);
    const std::int64_t stride = in(0, 3) == 0 ? child.tree.size() : in(-15, 60);
    Model result{make_strided(count, stride, child.tree), {}};
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t byte : child.bytes) result.bytes.push_back(byte + i * stride);
    return result;
  }
  Model runs() {
    Model result;
    RunList list;
    const bool regular = in(0, 1) == 0;
    std::int64_t at = in(-30, 30);
    for (std::int64_t i = in(0, 8); i > 0; --i) {
      const std::int64_t length = regular ? 3 : in(0, 6);
      list.add(at, length);
      for (std::int64_t b = 0; b < length; ++b) result.bytes.push_back(at + b);
      at += regular ? 7 : in(-5, 20);
    }
    result.tree = std::move(list).finish();
    return result;
  }
  Model sequence(int depth) {
    Model result;
    std::vector<Tree> parts;
    const Model shared = model(depth - 1);
    const bool same = in(0, 1) == 0;
    for (std::int64_t i = in(0, 4); i > 0; --i) {
      const Model part = same ? shared : model(depth - 1);
      const std::int64_t by = in(-40, 80);
      parts.push_back(part.tree.moved(by));
      for (std::int64_t byte : part.bytes) result.bytes.push_back(byte + by);
    }
    result.tree = make_sequence(parts);
    return result;
  }

  std::mt19937_64 engine_;
};

bool strictly_ascending(const Bytes& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
}

void check_summary(const Model& model) {
  ASSERT_EQ(model.tree.size(), static_cast<ByteCount>(model.bytes.size()));
  if (model.bytes.empty()) {
    ASSERT_TRUE(model.tree.empty());
    return;
  }
  const auto [low, high] = std::minmax_element(model.bytes.begin(), model.bytes.end());
  EXPECT_EQ(model.tree.lower(), *low);
  EXPECT_EQ(model.tree.upper(), *high + 1);
  EXPECT_EQ(model.tree.at, model.bytes[0]);
  if (model.tree.node->ascending) {
    EXPECT_TRUE(strictly_ascending(model.bytes));
    EXPECT_TRUE(model.tree.node->nondecreasing);
  }
}

TEST(ViewProperty, CursorCountAndCopyAgreeWithTheModel) {
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = random.model(3);
    check_summary(model);
    ASSERT_EQ(walk(model.tree, 0, 1 << 20), model.bytes);
    const std::int64_t size = model.tree.size();
    const std::int64_t from = random.in(0, size);
    const Bytes tail(model.bytes.begin() + from, model.bytes.end());
    ASSERT_EQ(walk(model.tree, from, random.in(1, 11)), tail);

    const std::int64_t limit = random.in(-60, 200);
    const auto below = std::count_if(model.bytes.begin(), model.bytes.end(),
                                     [&](std::int64_t byte) { return byte < limit; });
    ASSERT_EQ(data_before(model.tree, limit), below) << "limit " << limit;
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(ViewProperty, PackAndUnpackMoveExactlyTheModelsBytes) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = random.model(3);
    if (model.bytes.empty()) continue;
    std::vector<std::byte> arena(20000);
    for (std::size_t i = 0; i < arena.size(); ++i) arena[i] = static_cast<std::byte>(i * 7 + 1);
    std::byte* base = arena.data() + 10000;
    const std::int64_t from = random.in(0, model.tree.size() - 1);
    const std::int64_t size = random.in(1, model.tree.size() - from);

    std::vector<std::byte> packed(static_cast<std::size_t>(size));
    Cursor source(model.tree, from);
    pack(packed.data(), {base}, source, size);
    ASSERT_EQ(source.position(), from + size);
    std::vector<std::byte> expected = arena;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t byte = model.bytes[static_cast<std::size_t>(from + i)];
      ASSERT_EQ(packed[static_cast<std::size_t>(i)], base[byte]);
      packed[static_cast<std::size_t>(i)] = static_cast<std::byte>(i + 3);
      expected[static_cast<std::size_t>(10000 + byte)] = static_cast<std::byte>(i + 3);
    }
    Cursor target(model.tree, from);
    unpack({base}, target, packed.data(), size);
    ASSERT_EQ(arena, expected);
  }
}

TEST(ViewProperty, PiecesMatchBothSidesWithinTheBound) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model memory = random.model(3);
    const Model file = random.model(3);
    const std::int64_t size = std::min(memory.tree.size(), file.tree.size());
    if (size == 0) continue;
    const std::int64_t bound = memory.tree.node->runs + file.tree.node->runs - 1;
    std::vector<Piece> pieces(static_cast<std::size_t>(random.in(1, 5)));
    Cursor memory_cursor(memory.tree);
    Cursor file_cursor(file.tree);
    std::size_t done = 0;
    std::int64_t calls = 0;
    std::int64_t total = 0;
    while (done < static_cast<std::size_t>(size)) {
      const std::size_t used =
          build_pieces(memory_cursor, file_cursor, size - static_cast<std::int64_t>(done), pieces);
      ASSERT_GT(used, 0U);
      for (std::size_t i = 0; i < used; ++i)
        for (std::int64_t b = 0; b < pieces[i].length; ++b, ++done) {
          ASSERT_EQ(pieces[i].memory + b, memory.bytes[done]);
          ASSERT_EQ(pieces[i].offset + b, file.bytes[done]);
        }
      total += static_cast<std::int64_t>(used);
      ++calls;
    }
    ASSERT_EQ(memory_cursor.position(), size);
    EXPECT_LE(total, bound);
    EXPECT_LE(calls, total);
  }
}

TEST(View, RegularShapesCollapse) {
  // rows of a matrix that are whole: one block
  EXPECT_TRUE(make_strided(10, 64, make_block(64)).is_block());
  // a vector repeated at its own pitch: one vector
  const Tree vector = make_strided(100, 32, make_block(16));
  const Tree repeated = make_strided(50, 3200, vector);
  EXPECT_EQ(repeated.node->count, 5000);
  EXPECT_EQ(repeated.node->depth, 1);
  // a list that is regular: a vector
  RunList list;
  for (std::int64_t i = 0; i < 100; ++i) list.add(i * 24, 8);
  EXPECT_EQ(std::move(list).finish().node->kind, Node::Kind::strided);
  // runs that touch: one run
  RunList touching;
  for (std::int64_t i = 0; i < 100; ++i) touching.add(i * 8, 8);
  EXPECT_TRUE(std::move(touching).finish().is_block());
}

TEST(View, SeeksFarIntoAHugeRegularTypeWithoutFlattening) {
  // 10^4 x 10^4 x 10^4 ints, a 5000^3 corner
  constexpr std::int64_t kEdge = 10000;
  Tree tree = make_block(5000 * 4);
  tree = make_strided(5000, kEdge * 4, tree);
  tree = make_strided(5000, kEdge * kEdge * 4, tree);
  EXPECT_EQ(tree.size(), 4LL * 5000 * 5000 * 5000);
  EXPECT_LE(tree.node->depth, 2);
  Cursor cursor(tree, 4 * (4999LL * 5000 * 5000 + 17LL * 5000 + 3));
  EXPECT_EQ(cursor.offset(), 4 * (4999LL * kEdge * kEdge + 17 * kEdge + 3));
  EXPECT_EQ(data_before(tree, cursor.offset()), cursor.position());
}

Type type_of(Tree tree, std::int64_t extent) {
  return {std::move(tree), 0, extent};
}

TEST(FileViewTest, RefusesWhatCannotBeAView) {
  const Type byte = type_of(make_block(1), 1);
  const Type integer = type_of(make_block(4), 4);
  const auto kind = [](const Result<FileView>& view) {
    return view.ok() ? ErrorKind::none : view.error().kind;
  };
  EXPECT_EQ(kind(FileView::make(-1, byte, byte, true)), ErrorKind::argument);
  EXPECT_EQ(kind(FileView::make(0, integer, type_of(make_block(6), 6), true)), ErrorKind::type);
  EXPECT_EQ(kind(FileView::make(0, byte, type_of(make_block(4, -4), 8), false)), ErrorKind::type);
  const std::vector<Tree> decreasing{make_block(4, 8), make_block(4, 0)};
  EXPECT_EQ(kind(FileView::make(0, byte, type_of(make_sequence(decreasing), 16), false)),
            ErrorKind::type);
  const std::vector<Tree> overlapping{make_block(4, 0), make_block(4, 2)};
  EXPECT_EQ(kind(FileView::make(0, byte, type_of(make_sequence(overlapping), 16), true)),
            ErrorKind::type);
  EXPECT_EQ(kind(FileView::make(0, byte, type_of(make_sequence(overlapping), 16), false)),
            ErrorKind::none);
  EXPECT_EQ(kind(FileView::make(0, byte, type_of({}, 16), true)), ErrorKind::none);
}

TEST(FileViewTest, PositionsAndOffsetsInAViewWithHoles) {
  // |..XXXX....| from byte 100, etype of 2 bytes
  const Type filetype = type_of(make_block(4, 2), 10);
  const auto view = FileView::make(100, type_of(make_block(2), 2), filetype, true);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->offset_of(0), 102);
  EXPECT_EQ(view->offset_of(5), 113);
  EXPECT_EQ(view->offset_of(4LL * 1000000 + 1), 100 + 10000000 + 3);
  EXPECT_EQ(view->position_of_end(0), 0);
  EXPECT_EQ(view->position_of_end(103), 2);  // half an etype written: the next whole one
  EXPECT_EQ(view->position_of_end(112), 4);
  EXPECT_EQ(view->position_of_end(1 << 20), (1 << 20) / 10 * 4 - 40 + 4);
}

}  // namespace
}  // namespace tributary::view
