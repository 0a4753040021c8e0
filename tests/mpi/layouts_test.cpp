// The promise that all predictions rest on: the views of different ranks share no byte.
#include "layouts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "file_model.hpp"
#include "mpi_test.hpp"

namespace tributary::test {
namespace {

// How often this rank may touch each byte of the file.
std::vector<std::uint8_t> touched_bytes(const Layout& layout, std::int64_t etype_size) {
  std::vector<std::uint8_t> counts(400000);
  const ViewModel view(layout.displacement, layout.filetype.model);
  view.for_pieces(layout.begin * etype_size, (layout.end - layout.begin) * etype_size,
                  [&](std::int64_t offset, std::int64_t length) {
                    for (std::int64_t i = offset; i < offset + length; ++i) {
                      ++counts.at(static_cast<std::size_t>(i));
                    }
                  });
  return counts;
}

void expect_disjoint(bool with_everything) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    watchdog_note("layout", static_cast<std::int64_t>(seed));
    Random common(seed);
    Random own(seed, static_cast<std::uint64_t>(world_rank()) + 1);
    const Leaf& etype = common.pick(all_leaves());
    LayoutFrame frame{
        .communicator = MPI_COMM_WORLD,
        .rank = world_rank(),
        .ranks = world_size(),
        .origin = common.between(0, 1000),
        .span_bytes = common.pick({256, 4096, 16384}),
        .empty_views = with_everything,
        .type_options = {
            .empty_parts = with_everything, .shifted_bounds = with_everything, .describe = true}};
    LayoutBuilder builder(common, own, etype, frame);
    const Layout layout = builder.build();
    std::vector<std::uint8_t> counts = touched_bytes(layout, etype.model.size);
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_UINT8_T,
                  MPI_SUM, MPI_COMM_WORLD);
    const bool disjoint = std::ranges::max(counts) <= 1;
    EXPECT_TRUE(disjoint) << "seed " << seed << " " << layout.name << " at " << layout.displacement
                          << ": " << layout.filetype.recipe;
    EXPECT_TRUE(with_everything || layout.begin < layout.end) << layout.name;
    if (!disjoint) return;
  }
}

TEST(Layouts, RanksShareNoByte) {
  expect_disjoint(true);
}
TEST(Layouts, RanksShareNoByteForStock) {
  expect_disjoint(false);
}

}  // namespace
}  // namespace tributary::test
