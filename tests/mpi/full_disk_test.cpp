// A disk that is really full: one mebibyte of tmpfs, mounted where only the ranks of this test
// see it. Every strategy must give MPI_ERR_NO_SPACE on all ranks, never a signal, and count only
// bytes that are in the file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

// Rank 0 makes a mount namespace and the others follow it there; all go back at the end.
// Collective; good() is alike on all ranks.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    home_ = ::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (world_rank() == 0) mount_here();
    std::string place =
        "/proc/" + std::to_string(::getpid()) + "/task/" + std::to_string(::gettid()) + "/ns/mnt";
    place.resize(100, '\0');
    MPI_Bcast(place.data(), 100, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (world_rank() != 0) follow(place.c_str());
    good_ = all_agree(problem_.empty());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    barrier();
    if (home_ >= 0) {
      ::setns(home_, CLONE_NEWNS);  // the mount is gone with its last user
      ::close(home_);
    }
    barrier();
    if (world_rank() == 0) ::rmdir(folder_.c_str());
  }
  bool good() const { return good_; }
  const std::string& problem() const { return problem_; }

 private:
  void require(bool done, const char* what) {
    if (!done && problem_.empty()) problem_ = std::string(what) + ": " + std::strerror(errno);
  }
  void mount_here() {
    require(::mkdir(folder_.c_str(), 0700) == 0, "mkdir");
    require(::unshare(CLONE_NEWNS) == 0, "unshare");
    if (problem_.empty())
      require(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
    if (problem_.empty())
      require(::mount("none", folder_.c_str(), "tmpfs", 0, "size=1m") == 0, "mount tmpfs");
  }
  void follow(const char* place) {
    const int there = ::open(place, O_RDONLY | O_CLOEXEC);
    require(there >= 0, "open the namespace of rank 0");
    require(::unshare(CLONE_FS) == 0, "unshare");
    require(::setns(there, CLONE_NEWNS) == 0, "setns");
    if (there >= 0) ::close(there);
  }

  std::string folder_;
  int home_ = -1;
  bool good_ = false;
  std::string problem_;
};

class FullDisk : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!disk_.good()) GTEST_SKIP() << "no small disk can be mounted here: " << disk_.problem();
  }
  std::string folder_ = fresh_path();
  SmallDisk disk_{folder_};
  std::string path_ = folder_ + "/file";
  TempInfo info_{{"tributary_strategy", GetParam()},
                 {"romio_ds_write", GetParam() == std::string("rmw") ? "enable" : "automatic"}};
};

constexpr int kData = 1 << 21;  // of each rank: too much alone

// 64 of every 96 bytes; each rank behind the one before.
void set_strided_view(MPI_File file) {
  const TempType tile([](MPI_Datatype* type) {
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(64, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, 96, type);
    MPI_Type_free(&block);
  });
  EXPECT_TRUE(succeeded(MPI_File_set_view(file, MPI_Offset{kData} * 2 * world_rank(), MPI_BYTE,
                                          tile.get(), "native", MPI_INFO_NULL)));
}

TEST_P(FullDisk, IsAnErrorOnEveryRank) {
  const TestFile file(path_, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      info_.get());
  set_strided_view(file.get());
  const RecordErrors errors(file.get());
  const std::string data = pattern(kData, static_cast<unsigned>(world_rank()));
  MPI_Status status;
  const int code = expect_raised(file.get(), MPI_ERR_NO_SPACE, "write_all", [&] {
    return MPI_File_write_all(file.get(), data.data(), kData, MPI_BYTE, &status);
  });
  EXPECT_TRUE(contains(sentence_of(code), path_)) << sentence_of(code);
  const int moved = bytes_in(status);
  EXPECT_GE(moved, 0);
  EXPECT_LT(moved, kData);
  barrier();
  std::string found(static_cast<std::size_t>(moved), '\0');
  EXPECT_TRUE(succeeded(MPI_File_read_at(file.get(), 0, found.data(), moved, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), moved);
  EXPECT_TRUE(same_bytes(found, data.substr(0, found.size())));
  // Room again: the same handle writes again.
  barrier();
  EXPECT_TRUE(succeeded(MPI_File_set_size(file.get(), 0)));
  handler_calls().clear();
  expect_usable(file.get());
  EXPECT_TRUE(handler_calls().empty());
}

// The disk is full of something else: not even the first byte has room, and old data stays.
TEST_P(FullDisk, KeepsWhatIsThere) {
  const std::string filler = folder_ + "/filler";
  if (world_rank() == 0) {
    put_bytes(path_, pattern(4096));
    put_bytes(filler, std::string(2 << 20, 'x'));  // as much as there is room for
  }
  barrier();
  const TestFile file(path_, MPI_MODE_RDWR, info_.get());
  EXPECT_TRUE(succeeded(MPI_File_set_view(file.get(), 4096 * (1 + world_rank()), MPI_BYTE, MPI_BYTE,
                                          "native", MPI_INFO_NULL)));
  const RecordErrors errors(file.get());
  const std::string data = pattern(1000, 3);
  const TempType strided([](MPI_Datatype* type) { MPI_Type_vector(500, 1, 2, MPI_BYTE, type); });
  MPI_Status status;
  expect_raised(file.get(), MPI_ERR_NO_SPACE, "write_at_all", [&] {
    return MPI_File_write_at_all(file.get(), 0, data.data(), 1, strided.get(), &status);
  });
  EXPECT_EQ(bytes_in(status), 0);
  EXPECT_TRUE(same_bytes(bytes_of(path_), pattern(4096)));
  // What has its room already can be written over.
  EXPECT_TRUE(succeeded(MPI_File_set_view(file.get(), 100 * world_rank(), MPI_BYTE, strided.get(),
                                          "native", MPI_INFO_NULL)));
  EXPECT_TRUE(succeeded(MPI_File_write_at_all(file.get(), 0, data.data(), 50, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 50);
  expect_raised(file.get(), MPI_ERR_NO_SPACE, "preallocate",
                [&] { return MPI_File_preallocate(file.get(), 1 << 21); });
  EXPECT_EQ(bytes_of(path_).size(), 4096U);
}

INSTANTIATE_TEST_SUITE_P(Strategies, FullDisk,
                         ::testing::Values("automatic", "direct", "packed", "list", "rmw",
                                           "mapped"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tributary::test
