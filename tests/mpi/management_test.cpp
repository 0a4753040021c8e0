// Sizes, space, groups, views, extents, atomicity and synchronisation of an open file.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

class Management : public ::testing::Test {
 protected:
  MPI_Offset size() {
    MPI_Offset size = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_size(file_.get(), &size)));
    return size;
  }
  // What is on disk, once every rank is here; nobody goes on before all have looked.
  void expect_bytes(const std::string& expected) {
    barrier();
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), expected));
    barrier();
  }

  TempFile temp_{pattern(1000)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
};

// --- sizes ---------------------------------------------------------------------------------

TEST_F(Management, SetSizeCutsAndGrows) {
  EXPECT_EQ(size(), 1000);
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_.get(), 100)));
  EXPECT_EQ(size(), 100);
  expect_bytes(pattern(1000).substr(0, 100));
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_.get(), 5000)));
  EXPECT_EQ(size(), 5000);
  expect_bytes(pattern(1000).substr(0, 100) + std::string(4900, '\0'));
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_.get(), 0)));
  EXPECT_EQ(size(), 0);
  expect_bytes("");
}

TEST_F(Management, SetSizeKeepsThePointer) {
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 700, MPI_SEEK_SET)));
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_.get(), 10)));
  MPI_Offset position = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_position(file_.get(), &position)));
  EXPECT_EQ(position, 700);
}

TEST_F(Management, SizesBeyondFourGigabytes) {
  const MPI_Offset large = (MPI_Offset{5} << 30) + 3;
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_.get(), large)));
  EXPECT_EQ(size(), large);
  barrier();
  const std::string data = pattern(8, 9);
  if (world_rank() == 0) {
    EXPECT_TRUE(succeeded(
        MPI_File_write_at(file_.get(), large - 4, data.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE)));
  }
  barrier();
  EXPECT_EQ(size(), large + 4);
  std::string read(8, '\0');
  EXPECT_TRUE(succeeded(
      MPI_File_read_at(file_.get(), large - 4, read.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(same_bytes(read, data));
  barrier();
}

TEST_F(Management, PreallocateGrowsAndKeepsData) {
  EXPECT_TRUE(succeeded(MPI_File_preallocate(file_.get(), 50000)));
  EXPECT_EQ(size(), 50000);
  struct stat info {};
  EXPECT_EQ(::stat(temp_.c_str(), &info), 0);
  EXPECT_GE(info.st_blocks * 512, 50000);
  barrier();
  std::string found = bytes_of(temp_.path());
  ASSERT_EQ(found.size(), 50000U);
  found.resize(1000);  // new bytes are undefined
  EXPECT_TRUE(same_bytes(found, pattern(1000)));
}

TEST_F(Management, PreallocateNeverShrinks) {
  for (const MPI_Offset bytes : {0, 1, 999, 1000}) {
    EXPECT_TRUE(succeeded(MPI_File_preallocate(file_.get(), bytes)));
    EXPECT_EQ(size(), 1000);
  }
  expect_bytes(pattern(1000));
}

// --- what was given at open ----------------------------------------------------------------

TEST_F(Management, GetAmode) {
  for (const int amode :
       {MPI_MODE_RDONLY, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_MODE_CREATE | MPI_MODE_RDWR,
        MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL}) {
    const TestFile file(temp_.path(), amode);
    int found = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_amode(file.get(), &found)));
    EXPECT_EQ(found, amode);
  }
}

TEST_F(Management, GetGroup) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  EXPECT_TRUE(succeeded(MPI_File_get_group(file_.get(), &group)));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int relation = MPI_UNEQUAL;
  MPI_Group_compare(group, world, &relation);
  EXPECT_EQ(relation, MPI_IDENT);
  EXPECT_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  MPI_Group_free(&world);
}

// --- views ---------------------------------------------------------------------------------

struct View {
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING + 1> datarep{};
};

View view_of(MPI_File file) {
  View view;
  EXPECT_TRUE(succeeded(MPI_File_get_view(file, &view.displacement, &view.etype, &view.filetype,
                                          view.datarep.data())));
  return view;
}

TEST_F(Management, ViewAfterOpen) {
  const View view = view_of(file_.get());
  EXPECT_EQ(view.displacement, 0);
  EXPECT_EQ(view.etype, MPI_BYTE);
  EXPECT_EQ(view.filetype, MPI_BYTE);
  EXPECT_STREQ(view.datarep.data(), "native");
}

TEST_F(Management, NamedTypesComeBackAsTheyAre) {
  EXPECT_TRUE(succeeded(
      MPI_File_set_view(file_.get(), 12, MPI_DOUBLE, MPI_DOUBLE, "internal", MPI_INFO_NULL)));
  const View view = view_of(file_.get());
  EXPECT_EQ(view.displacement, 12);
  EXPECT_EQ(view.etype, MPI_DOUBLE);
  EXPECT_EQ(view.filetype, MPI_DOUBLE);
  EXPECT_STREQ(view.datarep.data(), "internal");
}

int combiner_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = -1;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}

// The program may free its types at once; what comes back selects the same bytes.
TEST_F(Management, DerivedTypesComeBackEquivalent) {
  TempType etype([](MPI_Datatype* type) { MPI_Type_contiguous(2, MPI_SHORT, type); });
  TempType filetype([&](MPI_Datatype* type) { MPI_Type_vector(3, 1, 4, etype.get(), type); });
  EXPECT_TRUE(succeeded(
      MPI_File_set_view(file_.get(), 8, etype.get(), filetype.get(), "native", MPI_INFO_NULL)));
  filetype.free();
  etype.free();
  View view = view_of(file_.get());
  EXPECT_NE(combiner_of(view.etype), MPI_COMBINER_NAMED);
  int size = 0;
  MPI_Aint lower = -1;
  MPI_Aint extent = -1;
  MPI_Type_size(view.etype, &size);
  EXPECT_EQ(size, 4);
  MPI_Type_size(view.filetype, &size);
  EXPECT_EQ(size, 12);
  MPI_Type_get_extent(view.filetype, &lower, &extent);
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(extent, 36);
  const TestFile other(temp_.path(), MPI_MODE_RDONLY);
  EXPECT_TRUE(succeeded(MPI_File_set_view(other.get(), view.displacement, view.etype, view.filetype,
                                          "native", MPI_INFO_NULL)));
  EXPECT_EQ(MPI_Type_free(&view.filetype), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&view.etype), MPI_SUCCESS);
  for (const MPI_File file : {file_.get(), other.get()}) {
    std::string read(24, '\0');
    EXPECT_TRUE(succeeded(MPI_File_read_at(file, 0, read.data(), 24, MPI_BYTE, MPI_STATUS_IGNORE)));
    std::string expected;
    for (const std::size_t at : {8U, 24U, 40U, 44U, 60U, 76U})
      expected += pattern(1000).substr(at, 4);
    EXPECT_TRUE(same_bytes(read, expected));
  }
}

TEST_F(Management, ByteOffsets) {
  const TempType tile([](MPI_Datatype* type) {
    const int lengths[] = {1, 2};
    const int displacements[] = {1, 4};
    MPI_Datatype bare = MPI_DATATYPE_NULL;
    MPI_Type_indexed(2, lengths, displacements, MPI_INT, &bare);
    MPI_Type_create_resized(bare, 0, 40, type);
    MPI_Type_free(&bare);
  });
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_.get(), 100, MPI_INT, tile.get(), "native", MPI_INFO_NULL)));
  const auto place = [&](MPI_Offset offset) {
    MPI_Offset bytes = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file_.get(), offset, &bytes)));
    return bytes;
  };
  EXPECT_EQ(place(0), 104);
  EXPECT_EQ(place(1), 116);
  EXPECT_EQ(place(2), 120);
  EXPECT_EQ(place(3), 144);
  EXPECT_EQ(place(3'000'000'000), 100 + 40'000'000'000 + 4);
}

TEST_F(Management, TypeExtents) {
  MPI_Aint extent = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_type_extent(file_.get(), MPI_INT, &extent)));
  EXPECT_EQ(extent, 4);
  const TempType vector([](MPI_Datatype* type) { MPI_Type_vector(3, 1, 5, MPI_INT, type); });
  EXPECT_TRUE(succeeded(MPI_File_get_type_extent(file_.get(), vector.get(), &extent)));
  EXPECT_EQ(extent, 44);
#if MPI_VERSION >= 4
  MPI_Count large = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_type_extent_c(file_.get(), vector.get(), &large)));
  EXPECT_EQ(large, 44);
#endif
}

// --- atomicity, sync, info -----------------------------------------------------------------

TEST_F(Management, Atomicity) {
  int atomic = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_atomicity(file_.get(), &atomic)));
  EXPECT_EQ(atomic, 0);
  EXPECT_TRUE(succeeded(MPI_File_set_atomicity(file_.get(), 17)));  // any true value
  EXPECT_TRUE(succeeded(MPI_File_get_atomicity(file_.get(), &atomic)));
  EXPECT_EQ(atomic, 1);
  expect_usable(file_.get());
  EXPECT_TRUE(succeeded(MPI_File_set_atomicity(file_.get(), 0)));
  EXPECT_TRUE(succeeded(MPI_File_get_atomicity(file_.get(), &atomic)));
  EXPECT_EQ(atomic, 0);
}

// The sequence of MPI-4.0 section 14.6.1: write, sync, barrier, sync, read.
TEST_F(Management, SyncMakesWritesVisible) {
  const std::string data = pattern(100, static_cast<unsigned>(world_rank()) + 1);
  EXPECT_TRUE(succeeded(MPI_File_write_at(file_.get(), 100 * world_rank(), data.data(), 100,
                                          MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(succeeded(MPI_File_sync(file_.get())));
  barrier();
  EXPECT_TRUE(succeeded(MPI_File_sync(file_.get())));
  for (int rank = 0; rank < world_size(); ++rank) {
    std::string read(100, '\0');
    EXPECT_TRUE(succeeded(
        MPI_File_read_at(file_.get(), 100 * rank, read.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_TRUE(same_bytes(read, pattern(100, static_cast<unsigned>(rank) + 1)));
  }
}

TEST_F(Management, SyncOfAReadOnlyFile) {
  const TestFile file(temp_.path(), MPI_MODE_RDONLY);
  EXPECT_TRUE(succeeded(MPI_File_sync(file.get())));
}

TEST_F(Management, InfoIsTheProgramsToFree) {
  MPI_Info info = MPI_INFO_NULL;
  EXPECT_TRUE(succeeded(MPI_File_get_info(file_.get(), &info)));
  EXPECT_NE(info, MPI_INFO_NULL);
  EXPECT_EQ(MPI_Info_set(info, "cb_nodes", "77"), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  EXPECT_NE(hint_of(file_.get(), "cb_nodes"), "77");
}

}  // namespace
}  // namespace tributary::test
