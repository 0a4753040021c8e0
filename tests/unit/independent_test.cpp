// Every strategy against a byte-by-byte model of the file, on a real file, with short
// transfers and interruptions mixed in; and what failures leave behind.
#include "execute/independent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "execute/windows.hpp"
#include "scratch_file.hpp"
#include "storage/faulty.hpp"
#include "storage/posix.hpp"
#include "view/build.hpp"
#include "view/cursor.hpp"

namespace tributary::execute {
namespace {

using plan::Strategy;
using test::ScratchFile;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t in(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  // An ascending tree of at least `size` bytes, as a file view has it.
  view::Tree file_tree(std::int64_t size) {
    view::RunList runs;
    std::int64_t at = in(0, 300);
    std::int64_t total = 0;
    for (std::int64_t i = in(1, 12); i > 0; --i) {
      const std::int64_t length = in(0, 3) == 0 ? in(1, 5000) : in(1, 40);
      runs.add(at, length);
      total += length;
      at += length + (in(0, 5) == 0 ? in(0, 30000) : in(0, 60));
    }
    const view::Tree tile = std::move(runs).finish();
    return view::make_strided(size / total + 1, at, tile);
  }
  view::Tree memory_tree(std::int64_t size) {
    if (in(0, 2) == 0) return view::make_block(size);
    const std::int64_t length = in(0, 4) == 0 ? in(1, 3000) : in(1, 20);
    const std::int64_t blocks = size / length + 1;
    return view::make_strided(blocks, length + in(0, 30), view::make_block(length, in(0, 9)));
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::int64_t> bytes_of(const view::Tree& tree, ByteCount from, ByteCount size) {
  std::vector<std::int64_t> bytes;
  for (view::Cursor cursor(tree, from); size > 0;) {
    const view::Group group = cursor.take(1);
    bytes.push_back(group.offset);
    --size;
  }
  return bytes;
}

struct Case {
  Access access;
  std::shared_ptr<const view::Tree> tree;
  std::vector<std::byte> memory;
  std::vector<std::int64_t> in_memory;
  std::vector<std::int64_t> in_file;
};

Case make_case(Random& random, Direction direction) {
  Case made;
  const std::int64_t bytes = random.in(1, 20000);
  made.access.direction = direction;
  made.access.bytes = bytes;
  made.access.file.position = random.in(0, 500);
  made.tree =
      std::make_shared<const view::Tree>(random.file_tree(bytes + made.access.file.position));
  made.access.file.tree = made.tree.get();
  view::Tree memory = random.memory_tree(bytes);
  made.memory.resize(static_cast<std::size_t>(memory.upper()) + 64);
  for (auto& byte : made.memory) byte = static_cast<std::byte>(random.in(0, 255));
  made.access.memory.base = made.memory.data();
  made.access.memory.tree = memory;
  made.access.memory.contiguous = memory.is_block() && memory.at == 0;
  made.in_memory = bytes_of(memory, 0, bytes);
  made.in_file = bytes_of(*made.tree, made.access.file.position, bytes);
  return made;
}

plan::IndependentPlan small_plan(Random& random, Strategy strategy) {
  plan::IndependentPlan plan;
  plan.strategy = strategy;
  plan.buffer_bytes = random.in(1, 3) == 1 ? random.in(1, 200) : random.in(500, 20000);
  plan.gap_bytes = random.in(0, 1) == 0 ? random.in(0, 100) : 8192;
  return plan;
}

std::unique_ptr<storage::Storage> open_file(const std::string& path, const std::string& faults) {
  auto opened = storage::open_posix(path, {.read = true, .write = true, .create = true});
  return storage::make_faulty(std::move(opened->storage), *storage::parse_faults(faults));
}

std::string random_content(Random& random, std::int64_t size) {
  std::string content(static_cast<std::size_t>(size), '\0');
  for (char& byte : content) byte = static_cast<char>(random.in(0, 255));
  return content;
}

void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

class IndependentProperty : public testing::TestWithParam<Strategy> {};

constexpr const char* kDisturbance =
    "write:short:every=3,read:short:every=4,write:EINTR:every=5,read:EINTR:every=7,"
    "reserve:EINTR:every=2";

TEST_P(IndependentProperty, WritesExactlyItsBytes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const ScratchFile file;
    std::string expected = random_content(random, random.in(0, 40000));
    put(file.path(), expected);
    const Case made = make_case(random, Direction::write);
    const auto storage = open_file(file.path(), kDisturbance);
    const auto moved = run_independent(*storage, small_plan(random, GetParam()), made.access);
    ASSERT_TRUE(moved.status.ok()) << moved.status.error().message;
    ASSERT_EQ(moved.bytes, made.access.bytes);
    const auto end = static_cast<std::size_t>(made.in_file.back()) + 1;
    if (expected.size() < end) expected.resize(end, '\0');
    for (std::size_t i = 0; i < made.in_file.size(); ++i)
      expected[static_cast<std::size_t>(made.in_file[i])] =
          static_cast<char>(made.memory[static_cast<std::size_t>(made.in_memory[i])]);
    ASSERT_TRUE(file.content() == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, IndependentProperty,
                         testing::Values(Strategy::packed, Strategy::list, Strategy::rmw,
                                         Strategy::mapped),
                         [](const auto& given) { return std::string(name_of(given.param)); });

class IndependentReadProperty : public testing::TestWithParam<Strategy> {};

TEST_P(IndependentReadProperty, ReadsExactlyItsBytesAndStopsAtTheEnd) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const ScratchFile file;
    const std::string content = random_content(random, random.in(0, 60000));
    put(file.path(), content);
    Case made = make_case(random, Direction::read);
    std::vector<std::byte> expected = made.memory;
    std::int64_t available = 0;
    while (available < made.access.bytes && made.in_file[static_cast<std::size_t>(available)] <
                                                static_cast<std::int64_t>(content.size())) {
      const auto i = static_cast<std::size_t>(available++);
      expected[static_cast<std::size_t>(made.in_memory[i])] =
          static_cast<std::byte>(content[static_cast<std::size_t>(made.in_file[i])]);
    }
    const auto storage = open_file(file.path(), kDisturbance);
    const auto moved = run_independent(*storage, small_plan(random, GetParam()), made.access);
    ASSERT_TRUE(moved.status.ok());
    ASSERT_EQ(moved.bytes, available);
    ASSERT_TRUE(made.memory == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, IndependentReadProperty,
                         testing::Values(Strategy::packed, Strategy::list, Strategy::sieve),
                         [](const auto& given) { return std::string(name_of(given.param)); });

// Bytes counted as moved are in the file; bytes that are not wanted are as before.
TEST_P(IndependentProperty, AFailureCountsWhatWasWrittenAndTouchesNothingElse) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const ScratchFile file;
    const std::string before = random_content(random, 60000);
    put(file.path(), before);
    const Case made = make_case(random, Direction::write);
    const std::string limit = std::to_string(random.in(0, 30000));
    const auto storage =
        open_file(file.path(), "write:ENOSPC:after=" + limit + ",reserve:ENOSPC:after=" + limit);
    const auto moved = run_independent(*storage, small_plan(random, GetParam()), made.access);
    if (!moved.status.ok()) {
      EXPECT_EQ(moved.status.error().kind, ErrorKind::no_space);
      EXPECT_LT(moved.bytes, made.access.bytes);
    }
    std::vector<bool> wanted(before.size() + 1000000, false);
    const std::string after = file.content();
    for (std::size_t i = 0; i < made.in_file.size(); ++i) {
      const auto at = static_cast<std::size_t>(made.in_file[i]);
      if (at < wanted.size()) wanted[at] = true;
      if (static_cast<std::int64_t>(i) < moved.bytes) {
        ASSERT_EQ(after[at],
                  static_cast<char>(made.memory[static_cast<std::size_t>(made.in_memory[i])]));
      }
    }
    for (std::size_t at = 0; at < before.size(); ++at) {
      const bool untouched = wanted[at] || after[at] == before[at];
      ASSERT_TRUE(untouched) << "byte " << at;
    }
  }
}

TEST(Windows, CoverTheAccessInOrderWithinTheirBounds) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::int64_t size = random.in(1, 30000);
    const view::Tree tree = random.file_tree(size);
    const ByteCount window_bytes = random.in(1, 20000);
    WindowCutter cutter(tree, window_bytes, random.in(0, 9000));
    const auto bytes = bytes_of(tree, 0, size);
    for (ByteCount position = 0; position < size;) {
      const Window window = cutter.next(position, size - position);
      ASSERT_GE(window.bytes, 1);
      ASSERT_LE(window.extent.length, window_bytes);
      ASSERT_EQ(window.extent.offset, bytes[static_cast<std::size_t>(position)]);
      position += window.bytes;
      ASSERT_EQ(window.extent.end(), bytes[static_cast<std::size_t>(position - 1)] + 1);
    }
  }
}

}  // namespace
}  // namespace tributary::execute
