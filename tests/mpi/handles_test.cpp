// File handles: null, closed, never one at all, and the integers of Fortran. A bad handle is an
// error of class MPI_ERR_FILE through the handler of MPI_FILE_NULL, never a crash.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "access_calls.hpp"
#include "file_fixture.hpp"

namespace tributary::test {
namespace {

struct NamedCall {
  const char* name;
  std::function<int(MPI_File)> call;
};

// Places for results that no call with a bad handle may touch.
struct Results {
  MPI_Offset offset = 1234;
  int number = 1234;
  MPI_Aint extent = 1234;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  std::array<char, MPI_MAX_DATAREP_STRING + 1> datarep{};
  std::array<char, 8> data{};

  void expect_untouched(const std::string& what) const {
    EXPECT_EQ(offset, 1234) << what;
    EXPECT_EQ(number, 1234) << what;
    EXPECT_EQ(extent, 1234) << what;
    EXPECT_EQ(group, MPI_GROUP_NULL) << what;
    EXPECT_EQ(info, MPI_INFO_NULL) << what;
    EXPECT_EQ(etype, MPI_DATATYPE_NULL) << what;
    EXPECT_EQ(errhandler, MPI_ERRHANDLER_NULL) << what;
    EXPECT_EQ(request, MPI_REQUEST_NULL) << what;
  }
};

// Calls that refuse MPI_FILE_NULL as well; the error-handler calls take it.
std::vector<NamedCall> calls_on_files(Results& r) {
  return {
      {"set_size", [](MPI_File f) { return MPI_File_set_size(f, 1); }},
      {"preallocate", [](MPI_File f) { return MPI_File_preallocate(f, 1); }},
      {"get_size", [&](MPI_File f) { return MPI_File_get_size(f, &r.offset); }},
      {"get_group", [&](MPI_File f) { return MPI_File_get_group(f, &r.group); }},
      {"get_amode", [&](MPI_File f) { return MPI_File_get_amode(f, &r.number); }},
      {"set_info", [](MPI_File f) { return MPI_File_set_info(f, MPI_INFO_NULL); }},
      {"get_info", [&](MPI_File f) { return MPI_File_get_info(f, &r.info); }},
      {"set_view",
       [](MPI_File f) {
         return MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
       }},
      {"get_view",
       [&](MPI_File f) {
         return MPI_File_get_view(f, &r.offset, &r.etype, &r.filetype, r.datarep.data());
       }},
      {"seek", [](MPI_File f) { return MPI_File_seek(f, 0, MPI_SEEK_SET); }},
      {"get_position", [&](MPI_File f) { return MPI_File_get_position(f, &r.offset); }},
      {"get_byte_offset", [&](MPI_File f) { return MPI_File_get_byte_offset(f, 0, &r.offset); }},
      {"get_type_extent",
       [&](MPI_File f) { return MPI_File_get_type_extent(f, MPI_INT, &r.extent); }},
      {"set_atomicity", [](MPI_File f) { return MPI_File_set_atomicity(f, 1); }},
      {"get_atomicity", [&](MPI_File f) { return MPI_File_get_atomicity(f, &r.number); }},
      {"sync", [](MPI_File f) { return MPI_File_sync(f); }},
      {"iwrite",
       [&](MPI_File f) { return MPI_File_iwrite(f, r.data.data(), 8, MPI_BYTE, &r.request); }},
      {"read_all_begin",
       [&](MPI_File f) { return MPI_File_read_all_begin(f, r.data.data(), 8, MPI_BYTE); }},
      {"seek_shared", [](MPI_File f) { return MPI_File_seek_shared(f, 0, MPI_SEEK_SET); }},
      {"close",
       [](MPI_File f) {
         MPI_File copy = f;
         return MPI_File_close(&copy);
       }},
  };
}

std::vector<NamedCall> calls_on_handlers(Results& r) {
  return {
      {"set_errhandler", [](MPI_File f) { return MPI_File_set_errhandler(f, MPI_ERRORS_RETURN); }},
      {"get_errhandler", [&](MPI_File f) { return MPI_File_get_errhandler(f, &r.errhandler); }},
      {"call_errhandler", [](MPI_File f) { return MPI_File_call_errhandler(f, MPI_ERR_IO); }},
  };
}

void expect_bad(MPI_File handle, const std::string& what) {
  const RecordErrors errors(MPI_FILE_NULL);
  Results results;
  std::vector<NamedCall> calls = calls_on_files(results);
  for (const AccessCall& access : access_calls)
    calls.push_back({access.name, [&](MPI_File f) {
                       return access.call(f, 0, results.data.data(), 8, MPI_BYTE, &results.status);
                     }});
  if (handle != MPI_FILE_NULL)
    for (const NamedCall& call : calls_on_handlers(results)) calls.push_back(call);
  for (const NamedCall& one : calls) {
    const std::string name = what + " in " + one.name;
    expect_raised(MPI_FILE_NULL, MPI_ERR_FILE, name, [&] { return one.call(handle); });
    results.expect_untouched(name);
  }
}

MPI_File as_handle(std::uintptr_t bits) {
  return reinterpret_cast<MPI_File>(bits);  // NOLINT(performance-no-int-to-ptr)
}

TEST(Handles, Null) {
  expect_bad(MPI_FILE_NULL, "MPI_FILE_NULL");
}

TEST(Handles, NeverOne) {
  std::array<std::uint64_t, 64> memory{};
  memory.fill(0x7472747274727472);  // looks like our mark, wherever it is looked for
  const TempFile temp(pattern(10));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  const auto good = reinterpret_cast<std::uintptr_t>(file.get());
  for (const std::uintptr_t bits :
       {std::uintptr_t{1}, std::uintptr_t{8}, std::uintptr_t{0x1000}, ~std::uintptr_t{0},
        std::uintptr_t{1} << 63, reinterpret_cast<std::uintptr_t>(memory.data()),
        reinterpret_cast<std::uintptr_t>(&memory), good + 1, good ^ (std::uintptr_t{1} << 16),
        good ^ (std::uintptr_t{1} << 40), good ^ (std::uintptr_t{1} << 60), good | 0xffff})
    expect_bad(as_handle(bits), "handle " + std::to_string(bits));
}

TEST(Handles, Closed) {
  const TempFile temp(pattern(10));
  TestFile file(temp.path(), MPI_MODE_RDWR);
  MPI_File const old = file.get();
  EXPECT_TRUE(succeeded(file.close()));
  EXPECT_EQ(file.get(), MPI_FILE_NULL);
  expect_bad(old, "a closed handle");
  EXPECT_TRUE(same_bytes(bytes_of(temp.path()), pattern(10)));
}

TEST(Handles, NullPointerToClose) {
  const RecordErrors errors(MPI_FILE_NULL);
  expect_raised(MPI_FILE_NULL, MPI_ERR_ARG, "close(nullptr)",
                [] { return MPI_File_close(nullptr); });
}

// However many files come after it, also in its own slot of the table.
TEST(Handles, ClosedForGood) {
  const TempFile temp(pattern(10));
  TestFile first(temp.path(), MPI_MODE_RDONLY, MPI_INFO_NULL, MPI_COMM_SELF);
  MPI_File const old = first.get();
  EXPECT_TRUE(succeeded(first.close()));
  MPI_Offset size = 0;
  for (int i = 0; i < 4000; ++i) {
    watchdog_note("opens after the closed one", i);
    MPI_File file = MPI_FILE_NULL;
    ASSERT_TRUE(succeeded(
        MPI_File_open(MPI_COMM_SELF, temp.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
    EXPECT_NE(file, old);
    ASSERT_TRUE(fails_with(MPI_File_get_size(old, &size), MPI_ERR_FILE)) << "open " << i;
    ASSERT_TRUE(succeeded(MPI_File_close(&file)));
  }
}

TEST(Handles, FortranRoundTrip) {
  const TempFile temp(pattern(10));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  const TestFile other(temp.path(), MPI_MODE_RDONLY);
  const MPI_Fint number = MPI_File_c2f(file.get());
  EXPECT_NE(number, 0);
  EXPECT_NE(number, MPI_File_c2f(other.get()));
  EXPECT_EQ(MPI_File_f2c(number), file.get());
  EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(other.get())), other.get());
  EXPECT_EQ(MPI_File_c2f(MPI_FILE_NULL), 0);
  EXPECT_EQ(MPI_File_f2c(0), MPI_FILE_NULL);
}

TEST(Handles, IntegersThatAreNoFile) {
  const TempFile temp(pattern(10));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  MPI_Offset size = 0;
  for (const MPI_Fint number : {-1, 123456789, MPI_File_c2f(file.get()) + 1, 0x7fffffff})
    EXPECT_TRUE(fails_with(MPI_File_get_size(MPI_File_f2c(number), &size), MPI_ERR_FILE)) << number;
  EXPECT_EQ(MPI_File_c2f(as_handle(0x1234)), 0);
}

TEST(Handles, ManyAtOnce) {
  constexpr int count = 300;
  const TempFile temp(pattern(10));
  std::vector<MPI_File> files(count, MPI_FILE_NULL);
  std::set<MPI_Fint> numbers;
  const int descriptors = open_descriptors();
  for (MPI_File& file : files) {
    ASSERT_TRUE(succeeded(
        MPI_File_open(MPI_COMM_SELF, temp.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
    numbers.insert(MPI_File_c2f(file));
  }
  EXPECT_EQ(numbers.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    char byte = 0;
    EXPECT_TRUE(succeeded(MPI_File_seek(files[i], static_cast<MPI_Offset>(i % 10), MPI_SEEK_SET)));
    EXPECT_TRUE(succeeded(MPI_File_read(files[i], &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_EQ(byte, pattern(10)[i % 10]);
  }
  for (MPI_File& file : files) EXPECT_TRUE(succeeded(MPI_File_close(&file)));
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace tributary::test
