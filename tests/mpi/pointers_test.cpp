// The individual file pointer: where it is after each kind of access, and what a read finds at
// the end of the file.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr std::size_t kFileBytes = 100;

class Pointers : public ::testing::Test {
 protected:
  MPI_Offset position() {
    MPI_Offset position = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_position(file_.get(), &position)));
    return position;
  }
  void seek(MPI_Offset offset, int whence = MPI_SEEK_SET) {
    EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), offset, whence)));
  }
  // Reads bytes by the pointer; what lies behind those that the status counts must be untouched.
  std::string read(int count) {
    std::string buffer(static_cast<std::size_t>(count), '~');
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), count, MPI_BYTE, &status)));
    const auto found = static_cast<std::size_t>(bytes_in(status));
    EXPECT_EQ(buffer.substr(found), std::string(buffer.size() - found, '~'));
    return buffer.substr(0, found);
  }
  void view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_.get(), displacement, etype, filetype, "native", MPI_INFO_NULL)));
  }
  // Two ints of every five: bytes [0, 8) of every 20.
  static void make_holes(MPI_Datatype* type) {
    MPI_Datatype bare = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &bare);
    MPI_Type_create_resized(bare, 0, 20, type);
    MPI_Type_free(&bare);
  }

  TempFile temp_{pattern(kFileBytes)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
  TempType holes_{make_holes};
  std::string all_ = pattern(kFileBytes);
};

TEST_F(Pointers, StartAtZero) {
  EXPECT_EQ(position(), 0);
}

TEST_F(Pointers, EachRankHasItsOwn) {
  seek(7 * world_rank());
  barrier();
  EXPECT_EQ(position(), 7 * world_rank());
  EXPECT_TRUE(same_bytes(read(5), all_.substr(7 * static_cast<std::size_t>(world_rank()), 5)));
  EXPECT_EQ(position(), 7 * world_rank() + 5);
}

TEST_F(Pointers, AdvanceByWhatWasMoved) {
  EXPECT_TRUE(same_bytes(read(10), all_.substr(0, 10)));
  EXPECT_EQ(position(), 10);
  EXPECT_TRUE(same_bytes(read(20), all_.substr(10, 20)));
  EXPECT_EQ(position(), 30);
  barrier();
  const std::string data = pattern(6, 8);
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_write(file_.get(), data.data(), 6, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 6);
  EXPECT_EQ(position(), 36);
  barrier();
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), all_.substr(0, 30) + data + all_.substr(36)));
}

TEST_F(Pointers, ExplicitOffsetsLeaveIt) {
  seek(42);
  std::string buffer(10, '\0');
  EXPECT_TRUE(
      succeeded(MPI_File_read_at(file_.get(), 3, buffer.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(same_bytes(buffer, all_.substr(3, 10)));
  EXPECT_TRUE(succeeded(
      MPI_File_read_at_all(file_.get(), 5, buffer.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_EQ(position(), 42);
}

TEST_F(Pointers, CollectiveAccessAdvances) {
  seek(10 * world_rank());
  std::string buffer(8, '\0');
  EXPECT_TRUE(
      succeeded(MPI_File_read_all(file_.get(), buffer.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_EQ(position(), 10 * world_rank() + 8);
  EXPECT_TRUE(same_bytes(buffer, all_.substr(10 * static_cast<std::size_t>(world_rank()), 8)));
  EXPECT_TRUE(
      succeeded(MPI_File_write_all(file_.get(), buffer.data(), 1, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_EQ(position(), 10 * world_rank() + 9);
}

TEST_F(Pointers, ZeroCountsAndEmptyTypesMoveNothing) {
  seek(9);
  const TempType empty([](MPI_Datatype* type) { MPI_Type_contiguous(0, MPI_INT, type); });
  const TempType empty_vector([](MPI_Datatype* type) { MPI_Type_vector(3, 0, 7, MPI_INT, type); });
  MPI_Status status;
  char byte = 'x';
  for (const MPI_Datatype type : {MPI_BYTE, empty.get(), empty_vector.get()}) {
    const int count = type == MPI_BYTE ? 0 : 5;
    EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), &byte, count, type, &status)));
    EXPECT_EQ(bytes_in(status), 0);
    EXPECT_TRUE(succeeded(MPI_File_write(file_.get(), &byte, count, type, &status)));
    EXPECT_EQ(bytes_in(status), 0);
    EXPECT_TRUE(succeeded(MPI_File_write_all(file_.get(), &byte, count, type, &status)));
    EXPECT_EQ(position(), 9);
  }
  EXPECT_EQ(byte, 'x');
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), all_));
}

// --- the end of the file -------------------------------------------------------------------

TEST_F(Pointers, ShortReadsCountWhatIsThere) {
  seek(90);
  EXPECT_TRUE(same_bytes(read(30), all_.substr(90)));
  seek(100);
  EXPECT_TRUE(read(10).empty());
  seek(5000);
  EXPECT_TRUE(read(10).empty());
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), all_));  // reading makes no file longer
}

// MPI-4.0 section 14.4.1: the pointer moves by what the call was to access.
TEST_F(Pointers, ShortReadsMoveItByWhatWasAsked) {
  seek(90);
  read(30);
  EXPECT_EQ(position(), 120);
  read(10);
  EXPECT_EQ(position(), 130);
}

TEST_F(Pointers, ShortReadsOfScatteredMemory) {
  const TempType strided([](MPI_Datatype* type) { MPI_Type_vector(10, 2, 3, MPI_BYTE, type); });
  seek(91);
  std::string buffer(30, '~');
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 1, strided.get(), &status)));
  EXPECT_EQ(bytes_in(status), 9);
  std::string expected(30, '~');
  for (std::size_t i = 0; i < 9; ++i) expected[i / 2 * 3 + i % 2] = all_[91 + i];
  EXPECT_TRUE(same_bytes(buffer, expected));
}

TEST_F(Pointers, ShortReadsThroughHoles) {
  view(3, MPI_INT, holes_.get());  // data at 3..11, 23..31, 43..51, 63..71, 83..91, 103..
  seek(8);
  std::string buffer(24, '~');
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 6, MPI_INT, &status)));
  EXPECT_EQ(bytes_in(status), 8);
  EXPECT_TRUE(same_bytes(buffer, all_.substr(83, 8) + std::string(16, '~')));
  int whole = -1;
  MPI_Get_count(&status, MPI_INT, &whole);
  EXPECT_EQ(whole, 2);
}

// The last etype is cut by the end of the file: its bytes are read and counted.
TEST_F(Pointers, ShortReadsOfPartOfAnEtype) {
  view(94, MPI_INT, MPI_INT);
  std::string buffer(12, '~');
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 3, MPI_INT, &status)));
  EXPECT_EQ(bytes_in(status), 6);
  EXPECT_TRUE(same_bytes(buffer, all_.substr(94) + std::string(6, '~')));
  int whole = -1;
  MPI_Get_count(&status, MPI_INT, &whole);
  EXPECT_EQ(whole, MPI_UNDEFINED);
}

TEST_F(Pointers, WritesBehindTheEndLeaveZeros) {
  if (world_rank() == 0) {
    seek(110);
    EXPECT_TRUE(succeeded(MPI_File_write(file_.get(), "xyz", 3, MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_EQ(position(), 113);
  }
  barrier();
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), all_ + std::string(10, '\0') + "xyz"));
}

// --- seeking -------------------------------------------------------------------------------

TEST_F(Pointers, SeekInBytes) {
  seek(50);
  seek(-20, MPI_SEEK_CUR);
  EXPECT_EQ(position(), 30);
  seek(0, MPI_SEEK_CUR);
  EXPECT_EQ(position(), 30);
  seek(0, MPI_SEEK_END);
  EXPECT_EQ(position(), 100);
  seek(-100, MPI_SEEK_END);
  EXPECT_EQ(position(), 0);
  seek(25, MPI_SEEK_END);
  EXPECT_EQ(position(), 125);
  seek(-125, MPI_SEEK_CUR);
  EXPECT_EQ(position(), 0);
}

TEST_F(Pointers, SeekInAViewWithHoles) {
  view(3, MPI_INT, holes_.get());
  EXPECT_EQ(position(), 0);
  seek(3);
  std::string buffer(8, '\0');
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 2, MPI_INT, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(same_bytes(buffer, all_.substr(27, 4) + all_.substr(43, 4)));
  EXPECT_EQ(position(), 5);
  seek(0, MPI_SEEK_END);  // ten ints lie before byte 100
  EXPECT_EQ(position(), 10);
  seek(-1, MPI_SEEK_END);
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 1, MPI_INT, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(same_bytes(buffer.substr(0, 4), all_.substr(87, 4)));
}

// The end is the first etype that starts behind the last byte of the file.
TEST_F(Pointers, EndOfAViewThatIsCutByTheFile) {
  struct Case {
    MPI_Offset displacement;
    MPI_Offset end;
  };
  for (const auto& [displacement, end] : {Case{14, 10}, Case{17, 9}, Case{16, 9}, Case{20, 8},
                                          Case{99, 1}, Case{100, 0}, Case{1000, 0}, Case{18, 9}}) {
    view(displacement, MPI_INT, holes_.get());
    seek(0, MPI_SEEK_END);
    EXPECT_EQ(position(), end) << "displacement " << displacement;
  }
}

TEST_F(Pointers, AViewPutsItBack) {
  seek(50);
  view(0, MPI_BYTE, MPI_BYTE);
  EXPECT_EQ(position(), 0);
}

TEST_F(Pointers, PositionsAreCountedInEtypes) {
  const TempType pair([](MPI_Datatype* type) { MPI_Type_contiguous(2, MPI_INT, type); });
  view(4, pair.get(), pair.get());
  std::string buffer(48, '\0');
  EXPECT_TRUE(succeeded(MPI_File_read(file_.get(), buffer.data(), 6, MPI_INT, MPI_STATUS_IGNORE)));
  EXPECT_EQ(position(), 3);
  EXPECT_TRUE(same_bytes(buffer.substr(0, 24), all_.substr(4, 24)));
  EXPECT_TRUE(
      succeeded(MPI_File_read(file_.get(), buffer.data(), 2, pair.get(), MPI_STATUS_IGNORE)));
  EXPECT_EQ(position(), 5);
  EXPECT_TRUE(same_bytes(buffer.substr(0, 16), all_.substr(28, 16)));
}

}  // namespace
}  // namespace tributary::test
