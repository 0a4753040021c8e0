// Faults outside of data transfers: open, close, sync, sizes, space, locks. Collective calls give
// one class on all ranks, whoever fails.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

#ifdef TRIBUTARY_FAULTS

constexpr int kCreate = MPI_MODE_CREATE | MPI_MODE_RDWR;

class ManagementFaults : public ::testing::Test {
 protected:
  // The first use of a communicator may open descriptors that the MPI keeps.
  void SetUp() override { TestFile(temp_.path(), MPI_MODE_RDONLY); }

  static int last() { return world_size() - 1; }

  int expect_no_open(const std::string& rules, const std::string& path, int amode,
                     int error_class) {
    SCOPED_TRACE(rules);
    const TempVariable faults("TRIBUTARY_FAULTS", rules);
    const RecordErrors errors(MPI_FILE_NULL);
    barrier();
    const int descriptors = open_descriptors();
    MPI_File file = MPI_FILE_NULL;
    const int code = expect_raised(MPI_FILE_NULL, error_class, "open", [&] {
      return MPI_File_open(MPI_COMM_WORLD, path.c_str(), amode, MPI_INFO_NULL, &file);
    });
    EXPECT_EQ(file, MPI_FILE_NULL);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_TRUE(same_on_all_ranks(class_of(code)));
    return code;
  }
  // `call(file)` on a file opened under the rules: the class on every rank, or on one alone.
  template <typename Call>
  void expect_error(const std::string& rules, int error_class, Call call,
                    int amode = MPI_MODE_RDWR) {
    SCOPED_TRACE(rules);
    const TempVariable faults("TRIBUTARY_FAULTS", rules);
    const TestFile file(temp_.path(), amode);
    const RecordErrors errors(file.get());
    const int code =
        expect_raised(file.get(), error_class, rules, [&] { return call(file.get()); });
    EXPECT_TRUE(same_on_all_ranks(class_of(code)));
    EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << sentence_of(code);
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(1000)));
    barrier();
  }

  TempFile temp_{pattern(1000)};
  TempFile absent_;
};

// --- open ----------------------------------------------------------------------------------

TEST_F(ManagementFaults, OpenOnOneRank) {
  for (const int rank : {0, last()}) {
    expect_no_open(on_rank("open:EIO", rank), temp_.path(), MPI_MODE_RDWR, MPI_ERR_IO);
    const int code =
        expect_no_open(on_rank("open:EACCES", rank), temp_.path(), kCreate, MPI_ERR_ACCESS);
    EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << sentence_of(code);
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(1000)));  // was there before: stays
    expect_no_open(on_rank("open:ENOSPC", rank), absent_.path(), kCreate, MPI_ERR_NO_SPACE);
    EXPECT_FALSE(exists(absent_.path())) << "a file that a failed open made was left behind";
    expect_no_open(on_rank("open:EIO", rank), absent_.path(), kCreate | MPI_MODE_EXCL, MPI_ERR_IO);
    EXPECT_FALSE(exists(absent_.path()));
  }
}

TEST_F(ManagementFaults, OpenOfADeletedOnCloseFile) {
  expect_no_open(on_rank("open:EIO", last()), temp_.path(),
                 MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_ERR_IO);
  EXPECT_TRUE(exists(temp_.path()));  // it was never open
}

// An end that cannot be found must not become the start: the next write would hit old data.
TEST_F(ManagementFaults, AppendNeedsTheSize) {
  expect_no_open(on_rank("size:EIO", last()), temp_.path(), MPI_MODE_RDWR | MPI_MODE_APPEND,
                 MPI_ERR_IO);
}

TEST_F(ManagementFaults, RulesThatAreWrong) {
  expect_no_open("write:nonsense", temp_.path(), MPI_MODE_RDWR, MPI_ERR_ARG);
}

// --- close ---------------------------------------------------------------------------------

TEST_F(ManagementFaults, CloseOnOneRank) {
  for (const int rank : {0, last()}) {
    const int descriptors = open_descriptors();
    const TempVariable faults("TRIBUTARY_FAULTS", on_rank("close:EIO", rank));
    TestFile file(temp_.path(), MPI_MODE_RDWR);
    const RecordErrors errors(file.get());
    MPI_File const handle = file.get();
    const int code = expect_raised(handle, MPI_ERR_IO, "close", [&] { return file.close(); });
    EXPECT_TRUE(same_on_all_ranks(class_of(code)));
    EXPECT_EQ(file.get(), MPI_FILE_NULL);
    EXPECT_EQ(open_descriptors(), descriptors);
    MPI_Offset size = 0;
    EXPECT_TRUE(fails_with(MPI_File_get_size(handle, &size), MPI_ERR_FILE));
  }
}

TEST_F(ManagementFaults, DeletedAlsoWhenCloseFails) {
  const TempFile temp(pattern(5));
  const TempVariable faults("TRIBUTARY_FAULTS", on_rank("close:ENOSPC", last()));
  TestFile file(temp.path(), MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  EXPECT_TRUE(fails_with(file.close(), MPI_ERR_NO_SPACE));
  barrier();
  EXPECT_FALSE(exists(temp.path()));
}

// --- the calls between ---------------------------------------------------------------------

TEST_F(ManagementFaults, Sync) {
  for (const int rank : {0, last()})
    expect_error(on_rank("sync:EIO", rank), MPI_ERR_IO, MPI_File_sync);
}

TEST_F(ManagementFaults, SetSize) {
  expect_error("resize:EIO", MPI_ERR_IO, [](MPI_File file) { return MPI_File_set_size(file, 10); });
  expect_error("resize:ENOSPC:after=2000", MPI_ERR_NO_SPACE,
               [](MPI_File file) { return MPI_File_set_size(file, 5000); });
}

TEST_F(ManagementFaults, Preallocate) {
  expect_error("reserve:ENOSPC", MPI_ERR_NO_SPACE,
               [](MPI_File file) { return MPI_File_preallocate(file, 5000); });
  expect_error("reserve:EOPNOTSUPP,write:EDQUOT", MPI_ERR_QUOTA,
               [](MPI_File file) { return MPI_File_preallocate(file, 5000); });
}

TEST_F(ManagementFaults, SizeOnOneRank) {
  const TempVariable faults("TRIBUTARY_FAULTS", on_rank("size:EIO", last()));
  const TestFile file(temp_.path(), MPI_MODE_RDWR);
  const RecordErrors errors(file.get());
  MPI_Offset size = -7;
  const auto get_size = [&] { return MPI_File_get_size(file.get(), &size); };
  const auto seek_end = [&] { return MPI_File_seek(file.get(), 0, MPI_SEEK_END); };
  if (world_rank() == last()) {
    expect_raised(file.get(), MPI_ERR_IO, "get_size", get_size);
    EXPECT_EQ(size, -7);
    expect_raised(file.get(), MPI_ERR_IO, "seek", seek_end);
    EXPECT_TRUE(succeeded(MPI_File_seek(file.get(), 3, MPI_SEEK_SET)));
  } else {
    EXPECT_TRUE(succeeded(get_size()));
    EXPECT_EQ(size, 1000);
    EXPECT_TRUE(succeeded(seek_end()));
  }
}

TEST_F(ManagementFaults, AtomicityNeedsLocks) {
  for (const int rank : {0, last()})
    expect_error(on_rank("lock:ENOLCK", rank), MPI_ERR_UNSUPPORTED_OPERATION, [](MPI_File file) {
      const int code = MPI_File_set_atomicity(file, 1);
      int atomic = -1;
      EXPECT_TRUE(succeeded(MPI_File_get_atomicity(file, &atomic)));
      EXPECT_EQ(atomic, 0);
      return code;
    });
}

// A lock that fails fails the access, and nothing is written without it. How many locks come
// before that of the access is the library's business: the fault comes later each time.
TEST_F(ManagementFaults, LocksOfAtomicAccess) {
  bool seen = false;
  for (int nth = 1; nth < 10 && !seen; ++nth) {
    const TempVariable faults("TRIBUTARY_FAULTS",
                              on_rank("lock:EIO:nth=" + std::to_string(nth), last()));
    const TestFile file(temp_.path(), MPI_MODE_RDWR);
    if (MPI_File_set_atomicity(file.get(), 1) != MPI_SUCCESS) continue;
    int code = MPI_SUCCESS;
    if (world_rank() == last())
      code = MPI_File_write_at(file.get(), 0, "data", 4, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Bcast(&code, 1, MPI_INT, last(), MPI_COMM_WORLD);
    seen = code != MPI_SUCCESS;
    if (seen) {
      EXPECT_TRUE(fails_with(code, MPI_ERR_IO));
      EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(1000)));
    }
  }
  EXPECT_TRUE(seen) << "no write in atomic mode has asked for a lock";
}

#else

TEST(ManagementFaults, Build) {
  GTEST_SKIP() << "this build injects no faults (TRIBUTARY_FAULTS is off)";
}

#endif

}  // namespace
}  // namespace tributary::test
