// Bad arguments, given by every rank alike: the right class, the handler called once, nothing
// changed on disk, no descriptor lost, and a handle that works afterwards.
// collective_errors_test.cpp has the cases in which one rank alone is wrong.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "access_calls.hpp"
#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr std::size_t kFileBytes = 300;

// A file of known bytes, open for reading and writing, its errors recorded.
class Errors : public ::testing::Test {
 protected:
  void TearDown() override {
    handler_calls().clear();
    expect_usable(file_.get());
    EXPECT_TRUE(handler_calls().empty());
  }
  // Through every access call, or those that `wanted` says.
  template <typename Wanted, typename Call>
  void refuse_each(Wanted wanted, int expected_class, const std::string& what, Call call) {
    for (const AccessCall& access : access_calls)
      if (wanted(access))
        expect_refused(file_.get(), temp_.path(), expected_class, what + " in " + access.name,
                       [&] { return call(access); });
  }
  void refuse_view(int expected_class, const std::string& what, MPI_Offset displacement,
                   MPI_Datatype etype, MPI_Datatype filetype, const char* datarep = "native") {
    expect_refused(file_.get(), temp_.path(), expected_class, what, [&] {
      return MPI_File_set_view(file_.get(), displacement, etype, filetype, datarep, MPI_INFO_NULL);
    });
  }

  TempFile temp_{pattern(kFileBytes)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
  RecordErrors errors_{file_.get()};
  std::array<char, 64> buffer_{};
  MPI_Status status_{};
};

bool any(const AccessCall&) {
  return true;
}
bool with_offset(const AccessCall& access) {
  return access.explicit_offset;
}

TEST_F(Errors, NegativeCount) {
  for (const int count : {-1, std::numeric_limits<int>::min()})
    refuse_each(any, MPI_ERR_COUNT, "a negative count", [&](const AccessCall& access) {
      return access.call(file_.get(), 0, buffer_.data(), count, MPI_BYTE, &status_);
    });
}

TEST_F(Errors, NegativeOffset) {
  for (const MPI_Offset offset : {MPI_Offset{-1}, std::numeric_limits<MPI_Offset>::min()})
    refuse_each(with_offset, MPI_ERR_ARG, "a negative offset", [&](const AccessCall& access) {
      return access.call(file_.get(), offset, buffer_.data(), 1, MPI_BYTE, &status_);
    });
}

TEST_F(Errors, OffsetBeyondAnyFile) {
  for (const MPI_Offset offset :
       {std::numeric_limits<MPI_Offset>::max(), std::numeric_limits<MPI_Offset>::max() / 2})
    refuse_each(with_offset, MPI_ERR_ARG, "a huge offset", [&](const AccessCall& access) {
      return access.call(file_.get(), offset, buffer_.data(), 1, MPI_BYTE, &status_);
    });
}

TEST_F(Errors, NullBuffer) {
  refuse_each(any, MPI_ERR_BUFFER, "a null buffer", [&](const AccessCall& access) {
    return access.call(file_.get(), 0, nullptr, 4, MPI_INT, &status_);
  });
}

TEST_F(Errors, NullBufferIsFineWithoutData) {
  for (const AccessCall& access : access_calls) {
    EXPECT_TRUE(succeeded(access.call(file_.get(), 0, nullptr, 0, MPI_INT, &status_)))
        << access.name;
    EXPECT_EQ(bytes_in(status_), 0) << access.name;
  }
}

TEST_F(Errors, NullDatatype) {
  for (const int count : {0, 1})
    refuse_each(any, MPI_ERR_TYPE, "a null datatype", [&](const AccessCall& access) {
      return access.call(file_.get(), 0, buffer_.data(), count, MPI_DATATYPE_NULL, &status_);
    });
}

TEST_F(Errors, PartsOfAnEtype) {
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_.get(), 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)));
  for (const int count : {1, 3, 5})
    refuse_each(any, MPI_ERR_TYPE, "a part of an etype", [&](const AccessCall& access) {
      return access.call(file_.get(), 0, buffer_.data(), count, MPI_BYTE, &status_);
    });
}

TEST_F(Errors, StatusOfARefusedCallCountsNothing) {
  for (const AccessCall& access : access_calls) {
    MPI_Status_set_elements(&status_, MPI_BYTE, 33);
    access.call(file_.get(), 0, buffer_.data(), -1, MPI_BYTE, &status_);
    EXPECT_EQ(bytes_in(status_), 0) << access.name;
  }
}

TEST_F(Errors, PointerStaysAfterARefusedCall) {
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 17, MPI_SEEK_SET)));
  for (const AccessCall& access : access_calls) {
    access.call(file_.get(), 0, nullptr, 4, MPI_INT, &status_);
    MPI_Offset position = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_position(file_.get(), &position)));
    EXPECT_EQ(position, 17) << access.name;
  }
}

TEST_F(Errors, Seek) {
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 10, MPI_SEEK_SET)));
  constexpr MPI_Offset huge = std::numeric_limits<MPI_Offset>::max();
  constexpr MPI_Offset end = kFileBytes;
  struct Case {
    const char* what;
    MPI_Offset offset;
    int whence;
  };
  for (const Case& one :
       {Case{"a bad whence", 0, 12345}, Case{"a negative place", -1, MPI_SEEK_SET},
        Case{"before the start", -11, MPI_SEEK_CUR},
        Case{"before the start", -end - 1, MPI_SEEK_END}, Case{"overflow", huge, MPI_SEEK_CUR},
        Case{"overflow", huge, MPI_SEEK_END}, Case{"underflow", -huge - 1, MPI_SEEK_CUR}}) {
    expect_refused(file_.get(), temp_.path(), MPI_ERR_ARG, one.what,
                   [&] { return MPI_File_seek(file_.get(), one.offset, one.whence); });
    MPI_Offset position = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_position(file_.get(), &position)));
    EXPECT_EQ(position, 10) << one.what;
  }
}

TEST_F(Errors, Sizes) {
  expect_refused(file_.get(), temp_.path(), MPI_ERR_ARG, "set_size",
                 [&] { return MPI_File_set_size(file_.get(), -1); });
  expect_refused(file_.get(), temp_.path(), MPI_ERR_ARG, "preallocate",
                 [&] { return MPI_File_preallocate(file_.get(), -1); });
  MPI_Offset place = 0;
  expect_refused(file_.get(), temp_.path(), MPI_ERR_ARG, "get_byte_offset",
                 [&] { return MPI_File_get_byte_offset(file_.get(), -1, &place); });
  MPI_Aint extent = 0;
  expect_refused(file_.get(), temp_.path(), MPI_ERR_TYPE, "get_type_extent",
                 [&] { return MPI_File_get_type_extent(file_.get(), MPI_DATATYPE_NULL, &extent); });
}

TEST_F(Errors, NullResults) {
  MPI_File const file = file_.get();
  const auto refuse = [&](const char* what, auto call) {
    expect_raised(file, MPI_ERR_ARG, what, call);
  };
  refuse("get_size", [&] { return MPI_File_get_size(file, nullptr); });
  refuse("get_amode", [&] { return MPI_File_get_amode(file, nullptr); });
  refuse("get_group", [&] { return MPI_File_get_group(file, nullptr); });
  refuse("get_info", [&] { return MPI_File_get_info(file, nullptr); });
  refuse("get_position", [&] { return MPI_File_get_position(file, nullptr); });
  refuse("get_byte_offset", [&] { return MPI_File_get_byte_offset(file, 0, nullptr); });
  refuse("get_type_extent", [&] { return MPI_File_get_type_extent(file, MPI_INT, nullptr); });
  refuse("get_atomicity", [&] { return MPI_File_get_atomicity(file, nullptr); });
  refuse("get_errhandler", [&] { return MPI_File_get_errhandler(file, nullptr); });
  refuse("get_view", [&] { return MPI_File_get_view(file, nullptr, nullptr, nullptr, nullptr); });
}

TEST_F(Errors, ViewsOfBadArguments) {
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_.get(), 7, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL)));
  refuse_view(MPI_ERR_ARG, "a negative displacement", -1, MPI_BYTE, MPI_BYTE);
  refuse_view(MPI_ERR_TYPE, "a null etype", 0, MPI_DATATYPE_NULL, MPI_BYTE);
  refuse_view(MPI_ERR_TYPE, "a null file type", 0, MPI_BYTE, MPI_DATATYPE_NULL);
  refuse_view(MPI_ERR_TYPE, "a file type of parts of etypes", 0, MPI_INT, MPI_SHORT);
  refuse_view(MPI_ERR_UNSUPPORTED_DATAREP, "an unknown data representation", 0, MPI_BYTE, MPI_BYTE,
              "no such representation");
  refuse_view(MPI_ERR_UNSUPPORTED_DATAREP, "an empty data representation", 0, MPI_BYTE, MPI_BYTE,
              "");
  refuse_view(MPI_ERR_ARG, "a null data representation", 0, MPI_BYTE, MPI_BYTE, nullptr);
  const TempType empty([](MPI_Datatype* type) { MPI_Type_contiguous(0, MPI_BYTE, type); });
  refuse_view(MPI_ERR_TYPE, "an etype without data", 0, empty.get(), MPI_BYTE);
  // The view is still the one before.
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING + 1> datarep{};
  EXPECT_TRUE(
      succeeded(MPI_File_get_view(file_.get(), &displacement, &etype, &filetype, datarep.data())));
  EXPECT_EQ(displacement, 7);
  EXPECT_EQ(etype, MPI_SHORT);
  EXPECT_EQ(filetype, MPI_SHORT);
}

// File types that the standard forbids for a file that is written.
struct BadFileType {
  const char* what;
  std::vector<int> lengths;
  std::vector<int> displacements;  // of bytes
};

const std::vector<BadFileType>& bad_file_types() {
  static const std::vector<BadFileType> types{
      {"blocks that overlap", {4, 4}, {0, 2}},     {"the same block twice", {4, 4}, {0, 0}},
      {"blocks that go down", {4, 4}, {8, 0}},     {"a negative displacement", {4, 4}, {-4, 4}},
      {"a block inside another", {10, 2}, {0, 4}},
  };
  return types;
}

MPI_Datatype indexed(const BadFileType& bad) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(bad.lengths.size()), bad.lengths.data(),
                   bad.displacements.data(), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

TEST_F(Errors, FileTypesThatMustNotBeWritten) {
  for (const BadFileType& bad : bad_file_types()) {
    MPI_Datatype type = indexed(bad);
    refuse_view(MPI_ERR_TYPE, bad.what, 0, MPI_BYTE, type);
    MPI_Type_free(&type);
  }
}

// Each tile is fine, but they go down through the file.
TEST_F(Errors, TilesThatGoDown) {
  const TempType tile([](MPI_Datatype* type) { MPI_Type_create_resized(MPI_INT, 0, -8, type); });
  refuse_view(MPI_ERR_TYPE, "tiles that go down", 0, MPI_BYTE, tile.get());
}

TEST(ErrorsByMode, OverlappingFileTypesMayBeRead) {
  const TempFile temp(pattern(40));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  const TempType overlapping([](MPI_Datatype* type) {
    const int lengths[] = {4, 4};
    const int displacements[] = {0, 2};
    MPI_Type_indexed(2, lengths, displacements, MPI_BYTE, type);
  });
  EXPECT_TRUE(succeeded(
      MPI_File_set_view(file.get(), 1, MPI_BYTE, overlapping.get(), "native", MPI_INFO_NULL)));
  std::string read(16, '\0');
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_read_at(file.get(), 0, read.data(), 16, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 16);
  const std::string all = pattern(40);
  EXPECT_TRUE(
      same_bytes(read, all.substr(1, 4) + all.substr(3, 4) + all.substr(7, 4) + all.substr(9, 4)));
}

TEST(ErrorsByMode, ReadingAWriteOnlyFile) {
  const TempFile temp(pattern(kFileBytes));
  const TestFile file(temp.path(), MPI_MODE_WRONLY);
  const RecordErrors errors(file.get());
  std::string buffer = pattern(8, 3);
  MPI_Status status;
  for (const AccessCall& access : access_calls) {
    if (access.write) continue;
    expect_refused(file.get(), temp.path(), MPI_ERR_ACCESS, access.name,
                   [&] { return access.call(file.get(), 0, buffer.data(), 8, MPI_BYTE, &status); });
    EXPECT_TRUE(same_bytes(buffer, pattern(8, 3))) << access.name;
  }
  barrier();
  EXPECT_TRUE(succeeded(
      MPI_File_write_at_all(file.get(), 8 * world_rank(), buffer.data(), 8, MPI_BYTE, &status)));
}

TEST(ErrorsByMode, ChangingAReadOnlyFile) {
  const TempFile temp(pattern(kFileBytes));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  const RecordErrors errors(file.get());
  std::string buffer(8, 'x');
  MPI_Status status;
  for (const AccessCall& access : access_calls) {
    if (!access.write) continue;
    expect_refused(file.get(), temp.path(), MPI_ERR_READ_ONLY, access.name,
                   [&] { return access.call(file.get(), 0, buffer.data(), 8, MPI_BYTE, &status); });
  }
  expect_refused(file.get(), temp.path(), MPI_ERR_READ_ONLY, "set_size",
                 [&] { return MPI_File_set_size(file.get(), 10); });
  expect_refused(file.get(), temp.path(), MPI_ERR_READ_ONLY, "preallocate",
                 [&] { return MPI_File_preallocate(file.get(), 1000); });
  EXPECT_TRUE(succeeded(MPI_File_read_at_all(file.get(), 5, buffer.data(), 8, MPI_BYTE, &status)));
  EXPECT_TRUE(same_bytes(buffer, pattern(kFileBytes).substr(5, 8)));
}

}  // namespace
}  // namespace tributary::test
