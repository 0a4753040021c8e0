// The view engine alone: building trees, seeking, packing. Numbers for docs/performance.md.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "view/build.hpp"
#include "view/copy.hpp"
#include "view/count.hpp"
#include "view/cursor.hpp"
#include "view/pieces.hpp"

namespace tributary::view {
namespace {

constexpr std::int64_t kEdge = 10000;

// The middle of a 10^4 x 10^4 x 10^4 array of ints: 2.5 * 10^7 runs, three nodes.
Tree cube() {
  const Tree row = make_block(5000 * 4, 2500 * 4);
  const Tree plane = make_strided(5000, kEdge * 4, row);
  return make_strided(5000, kEdge * kEdge * 4, plane);
}

Tree irregular(std::int64_t runs) {
  std::mt19937_64 random(1);
  RunList list;
  list.reserve(static_cast<std::size_t>(runs));
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto length = static_cast<std::int64_t>(random() % 64 + 1);
    list.add(at, length);
    at += length + static_cast<std::int64_t>(random() % 64 + 1);
  }
  return std::move(list).finish();
}

void build_subarray(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(cube());
}
BENCHMARK(build_subarray);

void build_irregular(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(irregular(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(build_irregular)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMicrosecond);

void seek(benchmark::State& state, const Tree& tree) {
  std::mt19937_64 random(1);
  Cursor cursor(tree);
  for (auto _ : state) {
    cursor.seek(static_cast<ByteCount>(random() % static_cast<std::uint64_t>(tree.size())));
    benchmark::DoNotOptimize(cursor.offset());
  }
}
BENCHMARK_CAPTURE(seek, subarray_10000_cubed, cube());
BENCHMARK_CAPTURE(seek, irregular_1000000, irregular(1000000));

void count_before(benchmark::State& state, const Tree& tree) {
  std::mt19937_64 random(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(data_before(
        tree, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(tree.upper()))));
}
BENCHMARK_CAPTURE(count_before, subarray_10000_cubed, cube());
BENCHMARK_CAPTURE(count_before, irregular_1000000, irregular(1000000));

// Blocks of `length` bytes with equal gaps; 1 MiB of data, so both sides stay in the cache.
template <bool Pack>
void copy_strided(benchmark::State& state) {
  constexpr ByteCount kBytes = 1 << 20;
  const std::int64_t length = state.range(0);
  const Tree tree = make_strided(kBytes / length, 2 * length, make_block(length));
  std::vector<std::byte> scattered(2 * kBytes);
  std::vector<std::byte> flat(kBytes);
  for (auto _ : state) {
    Cursor cursor(tree);
    if (Pack)
      pack(flat.data(), {scattered.data()}, cursor, kBytes);
    else
      unpack({scattered.data()}, cursor, flat.data(), kBytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(copy_strided<true>)->Name("pack")->RangeMultiplier(2)->Range(1, 32)->Arg(256);
BENCHMARK(copy_strided<false>)->Name("unpack")->RangeMultiplier(2)->Range(1, 32)->Arg(256);

void pack_irregular(benchmark::State& state) {
  const Tree tree = irregular(20000);
  std::vector<std::byte> scattered(static_cast<std::size_t>(tree.upper()));
  std::vector<std::byte> flat(static_cast<std::size_t>(tree.size()));
  for (auto _ : state) {
    Cursor cursor(tree);
    pack(flat.data(), {scattered.data()}, cursor, tree.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * tree.size());
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(pack_irregular);

void build_pieces_strided(benchmark::State& state) {
  constexpr std::int64_t kRuns = 100000;
  const Tree memory = make_strided(kRuns, 32, make_block(16));
  const Tree file = make_strided(kRuns / 3, 96, make_block(48));
  std::vector<Piece> pieces(1024);
  for (auto _ : state) {
    Cursor memory_cursor(memory);
    Cursor file_cursor(file);
    ByteCount left = file.size();
    while (left > 0) {
      const std::size_t used = build_pieces(memory_cursor, file_cursor, left, pieces);
      for (std::size_t i = 0; i < used; ++i) left -= pieces[i].length;
    }
  }
  state.SetItemsProcessed(state.iterations() * kRuns);
}
BENCHMARK(build_pieces_strided);

}  // namespace
}  // namespace tributary::view

BENCHMARK_MAIN();
