// Storage primitives, the transfer loops over them, and the decorator that disturbs them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "scratch_file.hpp"
#include "storage/faulty.hpp"
#include "storage/posix.hpp"
#include "storage/transfer.hpp"

namespace tributary::storage {
namespace {

using test::ScratchFile;

std::unique_ptr<Storage> open_new(const std::string& path) {
  auto opened = open_posix(path, {.read = true, .write = true, .create = true});
  EXPECT_TRUE(opened.ok());
  return std::move(opened->storage);
}

std::unique_ptr<Storage> open_disturbed(const std::string& path, std::string_view rules) {
  auto parsed = parse_faults(rules);
  EXPECT_TRUE(parsed.ok()) << rules;
  return make_faulty(open_new(path), *parsed);
}

ErrorKind kind_of(const Status& status) {
  return status.ok() ? ErrorKind::none : status.error().kind;
}

TEST(Posix, SaysWhoCreatedTheFile) {
  const ScratchFile file;
  const OpenOptions create{.read = true, .write = true, .create = true};
  EXPECT_EQ(open_posix(file.path(), create)->created, file.path());
  EXPECT_EQ(open_posix(file.path(), create)->created, "");
  OpenOptions exclusive = create;
  exclusive.exclusive = true;
  EXPECT_EQ(open_posix(file.path(), exclusive).error().kind, ErrorKind::file_exists);
}

TEST(Posix, RefusesDirectoriesAndMissingFiles) {
  EXPECT_EQ(open_posix("/", {.read = true}).error().kind, ErrorKind::bad_file);
  EXPECT_EQ(open_posix("/nowhere/file", {.read = true}).error().kind, ErrorKind::no_such_file);
  const Result<Opened> missing = open_posix("/nowhere/file", {.read = true});
  EXPECT_NE(missing.error().message.find("/nowhere/file"), std::string::npos);
}

TEST(Posix, CreatesWhatADanglingLinkPointsTo) {
  const ScratchFile target;
  const ScratchFile link;
  ASSERT_EQ(symlink(target.path().c_str(), link.path().c_str()), 0);
  const auto opened = open_posix(link.path(), {.read = true, .write = true, .create = true});
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->created, target.path());
  EXPECT_EQ(access(target.path().c_str(), F_OK), 0);
}

TEST(Posix, LocksOfTwoOpensExcludeEachOther) {
  const ScratchFile file;
  const auto one = open_new(file.path());
  ASSERT_TRUE(RangeLock::acquire(*one, {0, 100}, LockMode::exclusive).ok());
  const Result<RangeLock> held = RangeLock::acquire(*one, {0, 100}, LockMode::exclusive);
  const int other = open(file.path().c_str(), O_RDWR | O_CLOEXEC);
  struct flock probe {};
  probe.l_type = F_WRLCK;
  probe.l_start = 50;
  probe.l_len = 1;
  EXPECT_EQ(fcntl(other, F_OFD_SETLK, &probe), -1);
  probe.l_start = 100;
  EXPECT_EQ(fcntl(other, F_OFD_SETLK, &probe), 0);
  close(other);
}

TEST(Posix, AMappingIsTheFile) {
  const ScratchFile file;
  const auto storage = open_new(file.path());
  ASSERT_EQ(storage->reserve({0, 10000}), 0);
  {
    const Result<Mapping> mapping = storage->map({5000, 100});
    ASSERT_TRUE(mapping.ok());
    std::fill_n(mapping->data(), 100, std::byte{7});
  }
  const std::string content = file.content();
  ASSERT_EQ(content.size(), 10000U);
  EXPECT_EQ(content.substr(5000, 100), std::string(100, '\7'));
  EXPECT_EQ(content[4999], '\0');
  EXPECT_EQ(content[5100], '\0');
}

TEST(Transfer, ShortTransfersAndInterruptionsAreInvisible) {
  const ScratchFile file;
  const auto storage = open_disturbed(
      file.path(), "write:EINTR:every=3,write:short:every=2,read:short:nth=2,read:EINTR:every=2");
  std::vector<std::byte> data(10000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31);
  std::vector<iovec> list;
  for (std::size_t i = 0; i < data.size(); i += 100) list.push_back({&data[i], 100});
  const Moved written = move_list(*storage, Direction::write, 50, list);
  EXPECT_TRUE(written.status.ok());
  EXPECT_EQ(written.bytes, 10000);
  std::vector<std::byte> back(10000);
  const Moved read = move_block(*storage, Direction::read, 50, back.data(), 20000 - 10000);
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ(read.bytes, 10000);
  EXPECT_EQ(back, data);
}

TEST(Transfer, ListsLongerThanOneCallTakes) {
  const ScratchFile file;
  const auto storage = open_new(file.path());
  std::string data(5000, 'x');
  std::iota(data.begin(), data.end(), '\0');
  std::vector<iovec> list;
  for (char& byte : data) list.push_back({&byte, 1});
  EXPECT_EQ(move_list(*storage, Direction::write, 0, list).bytes, 5000);
  EXPECT_EQ(file.content(), data);
}

TEST(Transfer, TheEndOfTheFileIsNoError) {
  const ScratchFile file;
  const auto storage = open_new(file.path());
  std::byte data[10] = {};
  ASSERT_EQ(move_block(*storage, Direction::write, 0, data, 7).bytes, 7);
  const Moved moved = move_block(*storage, Direction::read, 0, data, 10);
  EXPECT_TRUE(moved.status.ok());
  EXPECT_EQ(moved.bytes, 7);
}

TEST(Faulty, AFullDiskTakesWhatFitsAndThenFails) {
  const ScratchFile file;
  const auto storage = open_disturbed(file.path(), "write:ENOSPC:after=4096");
  std::vector<std::byte> data(3000, std::byte{1});
  EXPECT_TRUE(move_block(*storage, Direction::write, 0, data.data(), 3000).status.ok());
  const Moved moved = move_block(*storage, Direction::write, 3000, data.data(), 3000);
  EXPECT_EQ(kind_of(moved.status), ErrorKind::no_space);
  EXPECT_EQ(moved.bytes, 1096);
  EXPECT_EQ(file.content().size(), 4096U);
}

TEST(Faulty, RulesSelectRankCallAndNumberOfTimes) {
  auto rules = parse_faults("sync:EIO:nth=2:times=1,read:EIO:rank=3");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(faults_of_rank(*rules, 3).size(), 2U);
  auto mine = faults_of_rank(*rules, 0);
  ASSERT_EQ(mine.size(), 1U);
  const ScratchFile file;
  const auto storage = make_faulty(open_new(file.path()), mine);
  EXPECT_EQ(storage->sync(), 0);
  EXPECT_EQ(storage->sync(), -EIO);
  EXPECT_EQ(storage->sync(), 0);
}

TEST(Faulty, MalformedRulesAreRefused) {
  for (const char* text : {"write", "write:", "write:EWHAT", "jump:EIO", "write:EIO:nth=x",
                           "write:EIO:when=1", "write:EIO:every=0"})
    EXPECT_FALSE(parse_faults(text).ok()) << text;
  EXPECT_TRUE(parse_faults("")->empty());
}

}  // namespace
}  // namespace tributary::storage
