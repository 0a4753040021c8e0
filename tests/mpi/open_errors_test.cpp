// Opens that fail: on every rank with one class, through the handler of MPI_FILE_NULL, with no
// handle, no descriptor, no communicator and no new file left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "file_fixture.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tributary::test {
namespace {

constexpr uid_t kNobody = 65534;

// Open MPI loses a few bytes when it makes an intercommunicator, in a stack that the leak
// checker cannot read and so not blame it for.
#ifdef __SANITIZE_ADDRESS__
using LeaksOfTheMpi = __lsan::ScopedDisabler;
#else
struct LeaksOfTheMpi {};
#endif

// Collective; every rank may give another name and mode. The file at `path` must stay as it is.
struct Attempt {
  std::string name;
  int amode = MPI_MODE_RDONLY;
};

class OpenErrors : public ::testing::Test {
 protected:
  // The first use of a communicator may open descriptors that the MPI keeps.
  void SetUp() override { TestFile(warm_.path(), MPI_MODE_RDONLY); }

  int expect_no_open(int expected_class, const std::string& what, const Attempt& attempt,
                     const char* name_or_null) {
    watchdog_note("an open that must fail", expected_class);
    const bool there = exists(attempt.name);
    barrier();
    const int descriptors = open_descriptors();
    MPI_File file = MPI_FILE_NULL;
    const int code = expect_raised(MPI_FILE_NULL, expected_class, what, [&] {
      return MPI_File_open(MPI_COMM_WORLD, name_or_null, attempt.amode, MPI_INFO_NULL, &file);
    });
    EXPECT_EQ(file, MPI_FILE_NULL) << what;
    EXPECT_EQ(open_descriptors(), descriptors) << what << ": open descriptors";
    EXPECT_TRUE(same_on_all_ranks(class_of(code))) << what;  // also: all are through
    EXPECT_EQ(exists(attempt.name), there) << what << ": the file itself";
    return code;
  }
  int expect_no_open(int expected_class, const std::string& what, const Attempt& attempt) {
    return expect_no_open(expected_class, what, attempt, attempt.name.c_str());
  }

  TempFile warm_{pattern(10)};
  TempFile temp_{pattern(100)};
  TempFile absent_;
  RecordErrors errors_{MPI_FILE_NULL};
};

TEST_F(OpenErrors, AccessModes) {
  for (const int bad :
       {0, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_RDONLY | MPI_MODE_RDWR,
        MPI_MODE_WRONLY | MPI_MODE_RDWR, MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR,
        MPI_MODE_CREATE, MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_MODE_EXCL | MPI_MODE_RDONLY,
        MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_MODE_APPEND, MPI_MODE_RDWR | (1 << 20), -1}) {
    for (const std::string& name : {temp_.path(), absent_.path()}) {
      const int code = expect_no_open(MPI_ERR_AMODE, "mode " + std::to_string(bad), {name, bad});
      EXPECT_TRUE(contains(sentence_of(code), name)) << sentence_of(code);
    }
  }
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(100)));
}

TEST_F(OpenErrors, MissingFile) {
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR}) {
    const int code = expect_no_open(MPI_ERR_NO_SUCH_FILE, "missing", {absent_.path(), amode});
    EXPECT_TRUE(contains(sentence_of(code), absent_.path())) << sentence_of(code);
    EXPECT_TRUE(contains(sentence_of(code), "No such file")) << sentence_of(code);
  }
}

TEST_F(OpenErrors, MissingFolder) {
  const Attempt attempt{absent_.path() + "/file", MPI_MODE_CREATE | MPI_MODE_RDWR};
  expect_no_open(MPI_ERR_NO_SUCH_FILE, "a missing folder", attempt);
}

TEST_F(OpenErrors, AFileIsNoFolder) {
  const Attempt attempt{temp_.path() + "/file", MPI_MODE_CREATE | MPI_MODE_RDWR};
  expect_no_open(MPI_ERR_BAD_FILE, "a file as a folder", attempt);
}

TEST_F(OpenErrors, AFolderIsNoFile) {
  const std::string folder = test_options().directory;
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_CREATE | MPI_MODE_WRONLY})
    expect_no_open(MPI_ERR_BAD_FILE, "a folder", {folder, amode});
}

TEST_F(OpenErrors, Names) {
  const int create = MPI_MODE_CREATE | MPI_MODE_RDWR;
  expect_no_open(MPI_ERR_BAD_FILE, "an empty name", {"", create});
  expect_no_open(MPI_ERR_BAD_FILE, "no name", {"", create}, nullptr);
  expect_no_open(MPI_ERR_BAD_FILE, "a prefix without a name", {"ufs:", create});
  expect_no_open(MPI_ERR_BAD_FILE, "a long part", {test_path(std::string(300, 'x')), create});
  std::string whole = test_options().directory;
  while (whole.size() < 6000) whole += "/./././././.";
  expect_no_open(MPI_ERR_BAD_FILE, "a long path", {whole + "/file", create});
}

// A long path must not push the cause out of the sentence (MPI_MAX_ERROR_STRING is 256 in Open
// MPI), nor out of the one that the other ranks get.
TEST_F(OpenErrors, TheCauseIsSaidForLongNamesToo) {
  const Attempt missing{test_path(std::string(240, 'n')), MPI_MODE_RDONLY};
  const int code = expect_no_open(MPI_ERR_NO_SUCH_FILE, "a long name", missing);
  EXPECT_TRUE(contains(sentence_of(code), "No such file")) << sentence_of(code);
  const Attempt too_long{test_path(std::string(300, 'n')), MPI_MODE_RDONLY};
  const int other = expect_no_open(MPI_ERR_BAD_FILE, "a name that is too long", too_long);
  EXPECT_TRUE(contains(sentence_of(other), "too long")) << sentence_of(other);
}

TEST_F(OpenErrors, ExclusiveCreationOfWhatIsThere) {
  const int amode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
  const int code = expect_no_open(MPI_ERR_FILE_EXISTS, "exclusive", {temp_.path(), amode});
  EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << sentence_of(code);
  EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(100)));
}

// --- one rank alone is wrong ---------------------------------------------------------------

class OpenErrorsOnOneRank : public OpenErrors {
 protected:
  void SetUp() override {
    if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
    OpenErrors::SetUp();
  }
  // The wrong rank is the first, then the last. Nothing of `names` may appear or vanish.
  void expect_everywhere(int expected_class, const std::string& what, const Attempt& right,
                         const Attempt& wrong) {
    for (const int wrong_rank : {0, world_size() - 1}) {
      const bool is_wrong = world_rank() == wrong_rank;
      const int code =
          expect_no_open(expected_class, what + " on rank " + std::to_string(wrong_rank),
                         is_wrong ? wrong : right);
      EXPECT_NE(code, MPI_SUCCESS);
      EXPECT_FALSE(exists(absent_.path())) << what << ": a file was left behind";
      EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), pattern(100))) << what;
      barrier();
    }
  }
  static constexpr int kCreate = MPI_MODE_CREATE | MPI_MODE_RDWR;
};

TEST_F(OpenErrorsOnOneRank, AnotherMode) {
  expect_everywhere(MPI_ERR_NOT_SAME, "another mode", {temp_.path(), MPI_MODE_RDWR},
                    {temp_.path(), MPI_MODE_RDONLY});
  expect_everywhere(MPI_ERR_NOT_SAME, "another mode of a new file", {absent_.path(), kCreate},
                    {absent_.path(), kCreate | MPI_MODE_APPEND});
}

TEST_F(OpenErrorsOnOneRank, ABadMode) {
  expect_everywhere(MPI_ERR_AMODE, "a bad mode", {absent_.path(), kCreate},
                    {absent_.path(), MPI_MODE_CREATE});
}

TEST_F(OpenErrorsOnOneRank, AnEmptyName) {
  expect_everywhere(MPI_ERR_BAD_FILE, "an empty name", {absent_.path(), kCreate}, {"", kCreate});
}

TEST_F(OpenErrorsOnOneRank, NowhereToPutTheHandle) {
  for (const int wrong_rank : {0, world_size() - 1}) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, absent_.c_str(), kCreate, MPI_INFO_NULL,
                                   world_rank() == wrong_rank ? nullptr : &file);
    EXPECT_TRUE(fails_with(code, MPI_ERR_ARG)) << "null on rank " << wrong_rank;
    EXPECT_EQ(file, MPI_FILE_NULL);
    barrier();
    EXPECT_FALSE(exists(absent_.path()));
    barrier();
  }
}

TEST_F(OpenErrorsOnOneRank, AMissingFile) {
  expect_everywhere(MPI_ERR_NO_SUCH_FILE, "a missing file", {temp_.path(), MPI_MODE_RDWR},
                    {absent_.path(), MPI_MODE_RDWR});
}

TEST_F(OpenErrorsOnOneRank, AFolder) {
  expect_everywhere(MPI_ERR_BAD_FILE, "a folder", {temp_.path(), MPI_MODE_RDWR},
                    {test_options().directory, MPI_MODE_RDWR});
}

// A file that was there before a failed collective open with CREATE stays.
TEST_F(OpenErrorsOnOneRank, AFileThatWasThereStays) {
  expect_everywhere(MPI_ERR_AMODE, "a bad mode", {temp_.path(), kCreate},
                    {temp_.path(), MPI_MODE_CREATE});
}

// --- permissions ---------------------------------------------------------------------------

// This thread touches files as an unprivileged user until the end of the block.
class AsNobody {
 public:
  AsNobody() { ::setfsuid(kNobody); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { ::setfsuid(0); }
};

class Permissions : public OpenErrors {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
    OpenErrors::SetUp();
    if (world_rank() == 0) {
      ::chmod(test_options().directory.c_str(), 0755);
      ::chmod(temp_.c_str(), 0444);
    }
    barrier();
    if (!all_agree(readable_by_nobody()))
      GTEST_SKIP() << test_options().directory << " is closed to other users by a folder above it";
  }
  bool readable_by_nobody() {
    const AsNobody nobody;
    const int descriptor = ::open(temp_.c_str(), O_RDONLY);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
  }
  void set_mode(mode_t mode) {
    barrier();
    if (world_rank() == 0) ::chmod(temp_.c_str(), mode);
    barrier();
  }
};

TEST_F(Permissions, NoneToWrite) {
  const AsNobody nobody;
  for (const int amode : {MPI_MODE_RDWR, MPI_MODE_WRONLY, MPI_MODE_CREATE | MPI_MODE_RDWR}) {
    const int code = expect_no_open(MPI_ERR_ACCESS, "no permission", {temp_.path(), amode});
    EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << sentence_of(code);
    EXPECT_TRUE(contains(sentence_of(code), "ermission denied")) << sentence_of(code);
  }
  TestFile(temp_.path(), MPI_MODE_RDONLY);
}

TEST_F(Permissions, NoneToCreate) {
  const AsNobody nobody;
  expect_no_open(MPI_ERR_ACCESS, "no permission to create",
                 {absent_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR});
}

TEST_F(Permissions, NoneOnOneRank) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  for (const int wrong_rank : {0, world_size() - 1}) {
    std::optional<AsNobody> nobody;
    if (world_rank() == wrong_rank) nobody.emplace();
    expect_no_open(MPI_ERR_ACCESS, "no permission on one rank", {temp_.path(), MPI_MODE_RDWR});
  }
}

// A file that may be written but not read serves a write-only open, in atomic mode too.
TEST_F(Permissions, WriteOnlyFilesAreWritten) {
  set_mode(0222);
  const AsNobody nobody;
  expect_no_open(MPI_ERR_ACCESS, "reading what may not be read", {temp_.path(), MPI_MODE_RDWR});
  const TestFile file(temp_.path(), MPI_MODE_WRONLY);
  const TempType strided([](MPI_Datatype* type) { MPI_Type_vector(4, 1, 3, MPI_BYTE, type); });
  for (const int atomic : {0, 1}) {
    EXPECT_TRUE(succeeded(MPI_File_set_atomicity(file.get(), atomic)));
    EXPECT_TRUE(succeeded(MPI_File_set_view(file.get(), 20 * world_rank(), MPI_BYTE, strided.get(),
                                            "native", MPI_INFO_NULL)));
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_write_at_all(file.get(), 0, "abcd", 4, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), 4);
  }
}

// --- nothing is lost -----------------------------------------------------------------------

// MPICH has 2048 communicators: opens that fail must give theirs back.
TEST_F(OpenErrors, ThousandsOfFailuresLoseNothing) {
  const int descriptors = open_descriptors();
  for (int i = 0; i < 3000; ++i) {
    watchdog_note("opens that must fail", i);
    MPI_File file = MPI_FILE_NULL;
    const int code =
        MPI_File_open(MPI_COMM_SELF, absent_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    ASSERT_TRUE(fails_with(code, MPI_ERR_NO_SUCH_FILE)) << "failure " << i;
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  handler_calls().clear();
}

TEST_F(OpenErrors, Communicators) {
  MPI_File file = MPI_FILE_NULL;
  expect_raised(MPI_FILE_NULL, MPI_ERR_COMM, "no communicator", [&] {
    return MPI_File_open(MPI_COMM_NULL, temp_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  });
  expect_raised(MPI_FILE_NULL, MPI_ERR_ARG, "no place for the handle", [&] {
    return MPI_File_open(MPI_COMM_WORLD, temp_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, nullptr);
  });
  if (world_size() < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  const int side = world_rank() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, world_rank(), &half);
  {
    [[maybe_unused]] const LeaksOfTheMpi ignored;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 7, &inter);
  }
  expect_raised(MPI_FILE_NULL, MPI_ERR_COMM, "an intercommunicator", [&] {
    return MPI_File_open(inter, temp_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  });
  EXPECT_EQ(file, MPI_FILE_NULL);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

TEST_F(OpenErrors, Delete) {
  const int code = expect_raised(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE, "delete",
                                 [&] { return MPI_File_delete(absent_.c_str(), MPI_INFO_NULL); });
  EXPECT_TRUE(contains(sentence_of(code), absent_.path())) << sentence_of(code);
  expect_raised(MPI_FILE_NULL, MPI_ERR_BAD_FILE, "delete no name",
                [&] { return MPI_File_delete("", MPI_INFO_NULL); });
  expect_raised(MPI_FILE_NULL, MPI_ERR_BAD_FILE, "delete a folder",
                [&] { return MPI_File_delete(test_options().directory.c_str(), MPI_INFO_NULL); });
}

}  // namespace
}  // namespace tributary::test
