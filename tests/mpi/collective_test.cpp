// The collective engine, one behaviour at a time: overlapping parts, holes, uneven parts, what
// travels, what is chosen. The random combinations are in collective_matrix_test.cpp.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr const char* kShuffles[] = {"two_sided", "one_sided_fence", "one_sided_lock", "shared"};

class CollectiveEngine : public ::testing::Test {
 protected:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  // Collective. A file that holds `content`, opened with hints for many small cycles.
  void open(const std::string& content, Hints hints) {
    file_.reset();
    barrier();
    if (world_rank() == 0) put_bytes(temp_.path(), content);
    barrier();
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
    file_ = std::make_unique<TestFile>(temp_.path(), MPI_MODE_RDWR, info);
    MPI_Info_free(&info);
  }
  void open_shuffled(const std::string& content, const char* shuffle) {
    open(content, {{"tributary_collective", "two_phase"},
                   {"tributary_shuffle", shuffle},
                   {"cb_buffer_size", "500"},
                   {"cb_nodes", "2"}});
  }
  std::string hint(const char* key) { return hint_of(file_->get(), key).value_or(""); }
  void expect_used(const std::string& strategy) {
    if (world_size() > 1) {
      EXPECT_TRUE(hint("tributary_collective_used").starts_with(strategy))
          << hint("tributary_collective_used");
    }
  }
  void write(MPI_Offset at, const std::string& data) {
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_write_at_all(file_->get(), at, data.data(),
                                                static_cast<int>(data.size()), MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), static_cast<int>(data.size()));
  }
  std::string read(MPI_Offset at, int bytes, int expected) {
    std::string data(static_cast<std::size_t>(bytes), '~');
    MPI_Status status;
    EXPECT_TRUE(
        succeeded(MPI_File_read_at_all(file_->get(), at, data.data(), bytes, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), expected);
    return data;
  }
  void expect_image(const std::string& expected) {
    barrier();
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), expected));
    barrier();
  }

  TempFile temp_;
  std::unique_ptr<TestFile> file_;
};

TEST_F(CollectiveEngine, OverlappingReads) {
  const std::string content = pattern(20'000, 3);
  for (const char* const shuffle : kShuffles) {
    SCOPED_TRACE(shuffle);
    open_shuffled(content, shuffle);
    const int at = 100 * world_rank();
    EXPECT_TRUE(
        same_bytes(read(at, 9'000, 9'000), content.substr(static_cast<std::size_t>(at), 9'000)));
    expect_used("two_phase");
  }
}

TEST_F(CollectiveEngine, ReadsPastTheEnd) {
  const std::string content = pattern(5'000, 4);
  for (const char* const shuffle : kShuffles) {
    SCOPED_TRACE(shuffle);
    open_shuffled(content, shuffle);
    const int at = 4'000 + 600 * world_rank();
    const int there = std::max(5'000 - at, 0);
    std::string expected(3'000, '~');
    if (there > 0) content.copy(expected.data(), 3'000, static_cast<std::size_t>(at));
    EXPECT_TRUE(same_bytes(read(at, 3'000, there), expected));
  }
}

// Two ranks write the same bytes, nobody writes as many others behind them: in the first cycle
// lengths add up to the whole sub-buffer, and still the hole is a hole.
TEST_F(CollectiveEngine, OverlappingWritesDoNotHideHoles) {
  if (world_size() < 2) GTEST_SKIP() << "takes two ranks";
  const std::string old = pattern(4'000, 9);
  const std::string data = pattern(1'000, 10);
  for (const char* const shuffle : kShuffles) {
    SCOPED_TRACE(shuffle);
    open(old, {{"tributary_collective", "two_phase"},
               {"tributary_shuffle", shuffle},
               {"cb_nodes", "1"},
               {"cb_buffer_size", "2000"}});
    // [0, 1000) twice, a hole of 1000, [2000, 3000) once
    const TempType twice(
        [](MPI_Datatype* type) { MPI_Type_vector(2, 1'000, 2'000, MPI_BYTE, type); });
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_->get(), 0, MPI_BYTE, twice.get(), "native", MPI_INFO_NULL)));
    write(0, world_rank() == 0 ? data + data : world_rank() == 1 ? data : "");
    std::string expected = old;
    expected.replace(0, 1'000, data);
    expected.replace(2'000, 1'000, data);
    expect_image(expected);
    expect_used("two_phase");
  }
}

TEST_F(CollectiveEngine, WildlyDifferentSizes) {
  for (const char* const shuffle : kShuffles) {
    SCOPED_TRACE(shuffle);
    open_shuffled("", shuffle);
    std::string expected;
    std::vector<std::size_t> sizes;
    for (int rank = 0; rank < world_size(); ++rank) {
      sizes.push_back(rank % 3 == 0 ? 1 : rank % 3 == 1 ? 70'001 : 0);
      expected += pattern(sizes.back(), static_cast<unsigned>(rank));
    }
    MPI_Offset at = 0;
    for (int rank = 0; rank < world_rank(); ++rank)
      at += static_cast<MPI_Offset>(sizes[static_cast<std::size_t>(rank)]);
    const std::size_t mine = sizes[static_cast<std::size_t>(world_rank())];
    const std::string data = pattern(mine, static_cast<unsigned>(world_rank()));
    write(at, data);
    expect_image(expected);
    EXPECT_TRUE(same_bytes(read(at, static_cast<int>(mine), static_cast<int>(mine)), data));
  }
}

TEST_F(CollectiveEngine, NobodyWantsAnything) {
  open_shuffled(pattern(100, 1), "shared");
  write(50, "");
  EXPECT_EQ(read(10, 0, 0), "");
  expect_image(pattern(100, 1));
}

// A mistake on one rank is known before anything is written.
TEST_F(CollectiveEngine, AMistakeOnOneRankStopsAllBeforeTheyWrite) {
  const std::string old = pattern(3'000, 12);
  open_shuffled(old, "shared");
  const RecordErrors errors(file_->get());
  const bool wrong = world_rank() == world_size() - 1;
  const std::string data = pattern(500, 13);
  expect_raised(file_->get(), MPI_ERR_COUNT, "negative count", [&] {
    return MPI_File_write_at_all(file_->get(), 500 * world_rank(), data.data(), wrong ? -1 : 500,
                                 MPI_BYTE, MPI_STATUS_IGNORE);
  });
  if (world_size() > 1) expect_image(old);
  expect_usable(file_->get());
}

// --- what travels ----------------------------------------------------------------------------

// A block of a 3-D array for each rank along the last dimension: very many fragments.
class SubarrayView {
 public:
  explicit SubarrayView(int side)
      : type_([side](MPI_Datatype* type) {
          const int sizes[3] = {side, side, side * world_size()};
          const int subsizes[3] = {side, side, side};
          const int starts[3] = {0, 0, side * world_rank()};
          MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_BYTE, type);
        }) {}
  MPI_Datatype get() const { return type_.get(); }

 private:
  TempType type_;
};

TEST_F(CollectiveEngine, ASubarrayTravelsAsAFewWords) {
  if (world_size() < 2) GTEST_SKIP() << "one rank tells nobody";
  std::vector<long> sent;
  for (const int side : {8, 64}) {  // 64 and 4096 fragments of a rank
    open("", {{"tributary_collective", "two_phase"}});
    const SubarrayView view(side);
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_->get(), 0, MPI_BYTE, view.get(), "native", MPI_INFO_NULL)));
    write(0, pattern(static_cast<std::size_t>(side * side * side), 1));
    write(0, pattern(static_cast<std::size_t>(side * side * side), 2));
    expect_used("two_phase");
    sent.push_back(std::stol(hint("tributary_metadata_bytes")));
  }
  EXPECT_EQ(sent[0], sent[1]) << "what travels grows with the number of fragments";
  EXPECT_LT(sent[0], 1'000);
}

// Long lists go to the aggregators that need them, and only the part in their domain.
TEST_F(CollectiveEngine, LongListsAreSentByDomain) {
  for (const char* const shuffle : kShuffles) {
    SCOPED_TRACE(shuffle);
    open("", {{"tributary_collective", "two_phase"},
              {"tributary_shuffle", shuffle},
              {"cb_nodes", "2"},
              {"cb_buffer_size", "3000"}});
    constexpr int kPieces = 2'000;
    std::vector<MPI_Aint> places;
    std::vector<int> lengths;
    MPI_Aint at = world_rank();
    for (int i = 0; i < kPieces; ++i) {  // ranks take turns; the gaps follow no rule
      places.push_back(at);
      lengths.push_back(1);
      at += world_size() * (1 + (i * 7919) % 5);
    }
    const TempType list([&](MPI_Datatype* type) {
      MPI_Type_create_hindexed(kPieces, lengths.data(), places.data(), MPI_BYTE, type);
    });
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_->get(), 0, MPI_BYTE, list.get(), "native", MPI_INFO_NULL)));
    const std::string data = pattern(kPieces, static_cast<unsigned>(world_rank()) + 20);
    write(0, data);
    expect_used("two_phase");
    barrier();
    const std::string image = bytes_of(temp_.path());
    std::string found;
    for (const MPI_Aint place : places) found += image[static_cast<std::size_t>(place)];
    EXPECT_TRUE(same_bytes(found, data));
    EXPECT_TRUE(same_bytes(read(0, kPieces, kPieces), data));
  }
}

// --- what is chosen ----------------------------------------------------------------------------

TEST_F(CollectiveEngine, EveryStrategyCanBeAskedFor) {
  const std::string data = pattern(3'000, static_cast<unsigned>(world_rank()));
  std::string expected;
  for (int rank = 0; rank < world_size(); ++rank)
    expected += pattern(3'000, static_cast<unsigned>(rank));
  for (const char* const strategy : {"independent", "two_phase", "gather", "local"}) {
    for (const char* const per_node : {"0", "1", "2"}) {
      SCOPED_TRACE(std::string(strategy) + " " + per_node);
      open("", {{"tributary_collective", strategy},
                {"nc_num_aggrs_per_node", per_node},
                {"cb_buffer_size", "1000"}});
      const TempType turns([](MPI_Datatype* type) {  // 10 bytes of each rank in turn
        MPI_Datatype block = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(10, MPI_BYTE, &block);
        MPI_Type_create_resized(block, 0, 10 * world_size(), type);
        MPI_Type_free(&block);
      });
      EXPECT_TRUE(succeeded(MPI_File_set_view(file_->get(), 10 * world_rank(), MPI_BYTE,
                                              turns.get(), "native", MPI_INFO_NULL)));
      write(0, data);
      EXPECT_TRUE(same_bytes(read(0, 3'000, 3'000), data));
      if (strategy != std::string("independent")) expect_used(strategy);
      barrier();
      EXPECT_EQ(bytes_of(temp_.path()).size(), expected.size());
    }
  }
}

TEST_F(CollectiveEngine, SwitchesOfOtherLibraries) {
  const std::string data = pattern(100, 1);
  open("", {{"romio_cb_write", "enable"}, {"cb_nodes", "1"}});
  write(100 * world_rank(), data);
  expect_used("two_phase");
  if (world_size() > 1) {
    EXPECT_EQ(hint("romio_aggregator_list"), "0");
  }
  open("", {{"romio_cb_write", "disable"}});
  write(100 * world_rank(), data);
  EXPECT_EQ(hint("tributary_collective_used"), "");
}

}  // namespace
}  // namespace tributary::test
