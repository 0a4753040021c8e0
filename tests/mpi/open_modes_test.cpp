// What each access mode does, and on which communicators files are opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "access_calls.hpp"
#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr int kCreate = MPI_MODE_CREATE | MPI_MODE_RDWR;

MPI_Offset position_of(MPI_File file) {
  MPI_Offset position = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_position(file, &position)));
  return position;
}

// --- creation ------------------------------------------------------------------------------

TEST(Create, MakesAnEmptyFile) {
  const TempFile temp;
  const TestFile file(temp.path(), kCreate);
  EXPECT_TRUE(exists(temp.path()));
  EXPECT_TRUE(bytes_of(temp.path()).empty());
  barrier();
  expect_usable(file.get());
}

TEST(Create, KeepsWhatIsThere) {
  const TempFile temp(pattern(50));
  const TestFile file(temp.path(), kCreate);
  EXPECT_TRUE(same_bytes(bytes_of(temp.path()), pattern(50)));
}

TEST(Create, ExclusivelyWhatIsMissing) {
  const TempFile temp;
  const TestFile file(temp.path(), kCreate | MPI_MODE_EXCL);
  EXPECT_TRUE(exists(temp.path()));
  barrier();
  expect_usable(file.get());
}

TEST(Create, HonoursTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0137}}) {
    const TempFile temp;
    const mode_t old = ::umask(mask);
    { const TestFile file(temp.path(), kCreate); }
    ::umask(old);
    struct stat info {};
    EXPECT_EQ(::stat(temp.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0666U & ~mask) << "umask " << mask;
  }
}

TEST(Create, WhatALinkPointsTo) {
  const TempFile link;
  const TempFile target;
  if (world_rank() == 0) {
    EXPECT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  }
  barrier();
  {
    const TestFile file(link.path(), kCreate);
    expect_usable(file.get());
  }
  EXPECT_EQ(bytes_of(target.path()).size(), 64U * static_cast<std::size_t>(world_size()));
  struct stat info {};
  EXPECT_EQ(::lstat(link.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST(Create, ALinkIsThereAlready) {
  const TempFile link;
  const TempFile target;
  if (world_rank() == 0) {
    EXPECT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  }
  barrier();
  MPI_File file = MPI_FILE_NULL;
  EXPECT_TRUE(fails_with(
      MPI_File_open(MPI_COMM_WORLD, link.c_str(), kCreate | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
      MPI_ERR_FILE_EXISTS));
  EXPECT_FALSE(exists(target.path()));
  EXPECT_TRUE(
      fails_with(MPI_File_open(MPI_COMM_WORLD, link.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                 MPI_ERR_NO_SUCH_FILE));
}

// A failed open must not leave what it made through a link either.
TEST(Create, NothingIsLeftBehindALink) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  const TempFile link;
  const TempFile target;
  if (world_rank() == 0) {
    EXPECT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  }
  barrier();
  MPI_File file = MPI_FILE_NULL;
  const int amode = world_rank() == 1 ? kCreate | MPI_MODE_APPEND : kCreate;
  EXPECT_TRUE(fails_with(MPI_File_open(MPI_COMM_WORLD, link.c_str(), amode, MPI_INFO_NULL, &file),
                         MPI_ERR_NOT_SAME));
  barrier();
  EXPECT_FALSE(exists(target.path()));
  EXPECT_TRUE(exists(link.path()));
}

// --- the other modes -----------------------------------------------------------------------

TEST(Modes, DeleteOnClose) {
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR}) {
    const TempFile temp(pattern(20));
    TestFile file(temp.path(), amode | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_TRUE(exists(temp.path()));
    barrier();
    EXPECT_TRUE(succeeded(file.close()));
    barrier();
    EXPECT_FALSE(exists(temp.path()));
  }
}

TEST(Modes, DeleteOnCloseOfAMissingFile) {
  const TempFile temp;
  TestFile file(temp.path(), kCreate | MPI_MODE_DELETE_ON_CLOSE);
  barrier();
  if (world_rank() == 0) ::unlink(temp.c_str());
  barrier();
  const int code = file.close();
  EXPECT_TRUE(fails_with(code, MPI_ERR_NO_SUCH_FILE));
  EXPECT_TRUE(same_on_all_ranks(code));
}

TEST(Modes, AppendStartsAtTheEnd) {
  const TempFile temp(pattern(33));
  const TestFile file(temp.path(), MPI_MODE_RDWR | MPI_MODE_APPEND);
  EXPECT_EQ(position_of(file.get()), 33);
  barrier();
  if (world_rank() == 0) {
    EXPECT_TRUE(succeeded(MPI_File_write(file.get(), "end", 3, MPI_BYTE, MPI_STATUS_IGNORE)));
  }
  barrier();
  EXPECT_TRUE(same_bytes(bytes_of(temp.path()), pattern(33) + "end"));
  // Only the start: a place that is named is where the data goes.
  barrier();
  if (world_rank() == 0) {
    EXPECT_TRUE(
        succeeded(MPI_File_write_at(file.get(), 0, "start", 5, MPI_BYTE, MPI_STATUS_IGNORE)));
  }
  barrier();
  EXPECT_TRUE(same_bytes(bytes_of(temp.path()), "start" + pattern(33).substr(5) + "end"));
  // A view puts the pointer back.
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file.get(), 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)));
  EXPECT_EQ(position_of(file.get()), 0);
}

// The end is that of the file at the open, also for a rank that comes out of the open late.
TEST(Modes, AppendIsNotMovedByAFasterRank) {
  const TempFile temp;
  for (int round = 0; round < 100; ++round) {
    if (world_rank() == 0) put_bytes(temp.path(), pattern(10));
    barrier();
    const TestFile file(temp.path(), MPI_MODE_RDWR | MPI_MODE_APPEND);
    if (world_rank() == 0)
      MPI_File_write_at(file.get(), 100, "far", 3, MPI_BYTE, MPI_STATUS_IGNORE);
    EXPECT_EQ(position_of(file.get()), 10) << "round " << round;
    barrier();
  }
}

TEST(Modes, UniqueOpen) {
  const TempFile temp;
  const TestFile file(temp.path(), kCreate | MPI_MODE_UNIQUE_OPEN);
  expect_usable(file.get());
  const TempType strided([](MPI_Datatype* type) { MPI_Type_vector(50, 1, 3, MPI_BYTE, type); });
  EXPECT_TRUE(succeeded(MPI_File_set_view(file.get(), 1000 + 200 * world_rank(), MPI_BYTE,
                                          strided.get(), "native", MPI_INFO_NULL)));
  const std::string data = pattern(50, 4);
  EXPECT_TRUE(
      succeeded(MPI_File_write_all(file.get(), data.data(), 50, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_TRUE(succeeded(MPI_File_sync(file.get())));
  barrier();
  const std::string all = bytes_of(temp.path());
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(all.at(1000 + 200 * static_cast<std::size_t>(world_rank()) + 3 * i), data[i]);
}

// MPI-4.0 sections 14.2.5, 14.2.6, 14.4.2 and 14.4.3: what a sequential file refuses.
TEST(Modes, SequentialRefusesPlaces) {
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_WRONLY}) {
    const TempFile temp(pattern(100));
    const TestFile file(temp.path(), amode | MPI_MODE_SEQUENTIAL);
    const RecordErrors errors(file.get());
    const auto refuse = [&](const char* what, auto call) {
      expect_refused(file.get(), temp.path(), MPI_ERR_UNSUPPORTED_OPERATION, what, call);
    };
    std::string buffer(8, 'x');
    for (const AccessCall& access : access_calls)
      if (access.write == (amode == MPI_MODE_WRONLY))
        refuse(access.name, [&] {
          return access.call(file.get(), 0, buffer.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE);
        });
    refuse("seek", [&] { return MPI_File_seek(file.get(), 0, MPI_SEEK_SET); });
    MPI_Offset place = 0;
    refuse("get_position", [&] { return MPI_File_get_position(file.get(), &place); });
    if (amode == MPI_MODE_WRONLY) {
      refuse("set_size", [&] { return MPI_File_set_size(file.get(), 10); });
      refuse("preallocate", [&] { return MPI_File_preallocate(file.get(), 1000); });
    }
    EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file.get(), 5, &place)));
    EXPECT_EQ(place, 5);
  }
}

TEST(Modes, DisplacementCurrentIsForSequentialFiles) {
  const TempFile temp(pattern(100));
  const TestFile file(temp.path(), MPI_MODE_RDONLY);
  const RecordErrors errors(file.get());
  const int code = expect_raised(file.get(), MPI_ERR_UNSUPPORTED_OPERATION, "set_view", [&] {
    return MPI_File_set_view(file.get(), MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native",
                             MPI_INFO_NULL);
  });
  EXPECT_TRUE(contains(sentence_of(code), "SEQUENTIAL")) << sentence_of(code);
}

// --- names ---------------------------------------------------------------------------------

TEST(Names, FileSystemPrefixesAreTakenOff) {
  const TempFile temp;
  for (const char* prefix : {"ufs:", "nfs:", "lustre:", ""}) {
    const TestFile file(prefix + temp.path(), kCreate);
    EXPECT_TRUE(exists(temp.path())) << prefix;
  }
  barrier();
  if (world_rank() == 0) {
    EXPECT_TRUE(succeeded(MPI_File_delete(("ufs:" + temp.path()).c_str(), MPI_INFO_NULL)));
  }
  barrier();
  EXPECT_FALSE(exists(temp.path()));
}

TEST(Names, OtherColonsBelongToTheName) {
  for (const char* name : {"data:2024", "C:", "ufs", "a b'c\"d", "caf\xc3\xa9", "*:cb_nodes=2,x"}) {
    const std::string path = test_path(name);
    const TestFile file(path, kCreate | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_TRUE(exists(path)) << name;
    barrier();
  }
}

TEST(Names, RelativeToTheWorkingFolder) {
  const TempFile temp(pattern(5));
  const int old = ::open(".", O_RDONLY | O_DIRECTORY);
  const std::string name = temp.path().substr(temp.path().rfind('/') + 1);
  EXPECT_EQ(::chdir(test_options().directory.c_str()), 0);
  { const TestFile file(name, MPI_MODE_RDONLY); }
  EXPECT_EQ(::fchdir(old), 0);
  ::close(old);
}

TEST(Names, DeleteRemovesTheFile) {
  const TempFile temp(pattern(5));
  if (world_rank() == 0) {
    EXPECT_TRUE(succeeded(MPI_File_delete(temp.c_str(), MPI_INFO_NULL)));
  }
  barrier();
  EXPECT_FALSE(exists(temp.path()));
}

// --- communicators -------------------------------------------------------------------------

TEST(Communicators, Self) {
  const TempFile temp;
  const std::string mine = temp.path() + "." + std::to_string(world_rank());
  const TestFile file(mine, kCreate | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, MPI_COMM_SELF);
  // Each rank does another number of "collective" calls: nobody waits for anybody.
  for (int i = 0; i <= world_rank(); ++i)
    EXPECT_TRUE(succeeded(MPI_File_write_all(file.get(), "four", 4, MPI_BYTE, MPI_STATUS_IGNORE)));
  EXPECT_EQ(bytes_of(mine).size(), 4U * static_cast<std::size_t>(world_rank() + 1));
}

TEST(Communicators, Halves) {
  const TempFile temp;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
  const std::string mine = temp.path() + "." + std::to_string(world_rank() % 2);
  {
    const TestFile file(mine, kCreate | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, half);
    MPI_Comm_free(&half);  // the file has its own
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    EXPECT_TRUE(succeeded(MPI_File_get_group(file.get(), &group)));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int members = 0;
    int rank = -1;
    MPI_Group_size(group, &members);
    MPI_Group_rank(group, &rank);
    EXPECT_EQ(members, (world_size() + 1 - world_rank() % 2) / 2);
    EXPECT_EQ(rank, members - 1 - world_rank() / 2);
    int in_world = -1;
    MPI_Group_translate_ranks(group, 1, &rank, world, &in_world);
    EXPECT_EQ(in_world, world_rank());
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    EXPECT_TRUE(succeeded(
        MPI_File_write_at_all(file.get(), 4 * rank, "four", 4, MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_TRUE(succeeded(MPI_File_sync(file.get())));
    MPI_Offset size = 0;
    EXPECT_TRUE(succeeded(MPI_File_get_size(file.get(), &size)));
    EXPECT_EQ(size, 4 * members);
  }
}

// The program's own messages on the communicator are not mixed up with the library's.
TEST(Communicators, TheProgramsMessagesAreItsOwn) {
  const TempFile temp;
  int token = world_rank();
  int received = -1;
  const int next = (world_rank() + 1) % world_size();
  const int previous = (world_rank() + world_size() - 1) % world_size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  {
    const TestFile file(temp.path(), kCreate);
    expect_usable(file.get());
  }
  MPI_Send(&token, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, previous);
}

TEST(Communicators, ManyFilesAtOnce) {
  const TempFile temp(pattern(100));
  std::vector<MPI_File> files(20, MPI_FILE_NULL);
  for (MPI_File& file : files)
    EXPECT_TRUE(succeeded(
        MPI_File_open(MPI_COMM_WORLD, temp.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string read(3, '\0');
    EXPECT_TRUE(succeeded(MPI_File_read_at_all(files[i], static_cast<MPI_Offset>(i), read.data(), 3,
                                               MPI_BYTE, MPI_STATUS_IGNORE)));
    EXPECT_TRUE(same_bytes(read, pattern(100).substr(i, 3)));
  }
  for (MPI_File& file : files) EXPECT_TRUE(succeeded(MPI_File_close(&file)));
}

}  // namespace
}  // namespace tributary::test
