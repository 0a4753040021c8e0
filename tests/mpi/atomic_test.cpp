// Atomic mode: ranks that write the same bytes at the same time leave the data of one of them as
// a whole, and a reader sees all of a write or nothing of it. Small buffers and shortened
// transfers make sure that one access takes many system calls, so that only locks can help.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr int kRounds = 60;
constexpr int kBytes = 8000;

class Atomic : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    EXPECT_TRUE(succeeded(MPI_File_set_atomicity(file_.get(), 1)));
    if (world_size() < 2) GTEST_SKIP() << "one rank has nobody to disturb it";
  }
  void view(MPI_Offset displacement, MPI_Datatype filetype) {
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_.get(), displacement, MPI_BYTE, filetype, "native", MPI_INFO_NULL)));
  }
  // Every rank writes its own letter over `count` bytes of its view, all at once.
  void write_letters(MPI_Offset offset, int count, bool collective) {
    const std::string letters(static_cast<std::size_t>(count), letter(world_rank()));
    MPI_Status status;
    barrier();
    const auto write = collective ? MPI_File_write_at_all : MPI_File_write_at;
    EXPECT_TRUE(succeeded(write(file_.get(), offset, letters.data(), count, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), count);
    barrier();
  }
  static char letter(int rank) { return static_cast<char>('A' + rank); }

  TempVariable faults_{"TRIBUTARY_FAULTS", "write:short:every=2,read:short:every=2"};
  TempInfo info_{{"ind_wr_buffer_size", "512"},
                 {"ind_rd_buffer_size", "512"},
                 {"romio_ds_write", GetParam() == std::string("rmw") ? "enable" : "automatic"},
                 {"tributary_strategy", GetParam()}};
  TempFile temp_{std::string(4 * kBytes, '.')};
  TestFile file_{temp_.path(), MPI_MODE_RDWR, info_.get()};
};

::testing::AssertionResult one_letter(const std::string& bytes) {
  const auto other =
      std::find_if(bytes.begin(), bytes.end(), [&](char c) { return c != bytes[0]; });
  if (other == bytes.end() && bytes[0] != '.') return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << bytes[0] << "' at first, '" << *other << "' after "
                                       << other - bytes.begin() << " bytes";
}

TEST_P(Atomic, TheSameBytes) {
  for (int round = 0; round < kRounds; ++round) {
    write_letters(100, kBytes, round % 2 == 1);
    if (world_rank() == 0) {
      EXPECT_TRUE(one_letter(bytes_of(temp_.path()).substr(100, kBytes))) << "round " << round;
    }
  }
}

// Two of every five bytes, the same ones for all ranks; the others stay as they are.
TEST_P(Atomic, TheSameScatteredBytes) {
  const TempType tile([](MPI_Datatype* type) {
    MPI_Datatype two = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_BYTE, &two);
    MPI_Type_create_resized(two, 0, 5, type);
    MPI_Type_free(&two);
  });
  view(10, tile.get());
  constexpr int count = kBytes / 2;
  for (int round = 0; round < kRounds; ++round) {
    write_letters(0, count, round % 2 == 1);
    if (world_rank() != 0) continue;
    const std::string all = bytes_of(temp_.path());
    std::string written;
    std::string others;
    for (std::size_t i = 10; i < 10 + count / 2 * 5; ++i)
      ((i - 10) % 5 < 2 ? written : others) += all[i];
    EXPECT_TRUE(one_letter(written)) << "round " << round;
    EXPECT_EQ(others, std::string(others.size(), '.')) << "round " << round;
  }
}

// Each rank begins half a length after the one before: what two of them share is of one of them.
TEST_P(Atomic, PartsThatOverlap) {
  constexpr int length = 2000;
  for (int round = 0; round < kRounds; ++round) {
    write_letters(length / 2 * world_rank(), length, false);
    if (world_rank() != 0) continue;
    const std::string all = bytes_of(temp_.path());
    for (std::size_t part = 0; part <= static_cast<std::size_t>(world_size()); ++part)
      EXPECT_TRUE(one_letter(all.substr(part * length / 2, length / 2)))
          << "part " << part << ", round " << round;
  }
}

// Rank 0 writes letter after letter while the others read.
TEST_P(Atomic, ReadersSeeWholeWrites) {
  const TempType tile([](MPI_Datatype* type) { MPI_Type_vector(50, 3, 4, MPI_BYTE, type); });
  for (const MPI_Datatype filetype : {MPI_BYTE, tile.get()}) {
    view(0, filetype);
    if (world_rank() == 0) {
      const std::string start(3000, 'Z');
      EXPECT_TRUE(succeeded(
          MPI_File_write_at(file_.get(), 0, start.data(), 3000, MPI_BYTE, MPI_STATUS_IGNORE)));
    }
    barrier();
    for (int round = 0; round < kRounds; ++round) {
      std::string data(3000, static_cast<char>('A' + round % 26));
      if (world_rank() == 0) {
        EXPECT_TRUE(succeeded(
            MPI_File_write_at(file_.get(), 0, data.data(), 3000, MPI_BYTE, MPI_STATUS_IGNORE)));
      } else {
        EXPECT_TRUE(succeeded(
            MPI_File_read_at(file_.get(), 0, data.data(), 3000, MPI_BYTE, MPI_STATUS_IGNORE)));
        EXPECT_TRUE(one_letter(data)) << "round " << round;
      }
    }
    barrier();
  }
}

// What one rank wrote is there for another as soon as it hears of it; no sync is needed.
TEST_P(Atomic, WritesAreSeenAtOnce) {
  for (int round = 0; round < 10; ++round) {
    const int writer = round % world_size();
    const std::string data = pattern(300, static_cast<unsigned>(round));
    if (world_rank() == writer) {
      EXPECT_TRUE(succeeded(
          MPI_File_write_at(file_.get(), 7, data.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE)));
    }
    barrier();
    std::string read(300, '\0');
    EXPECT_TRUE(
        succeeded(MPI_File_read_at(file_.get(), 7, read.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_TRUE(same_bytes(read, data));
    barrier();
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Atomic,
                         ::testing::Values("automatic", "packed", "list", "mapped", "rmw"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tributary::test
