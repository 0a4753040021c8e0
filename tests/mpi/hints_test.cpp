// Hints as a program sees them: set by MPI_Info, environment and files, read by
// MPI_File_get_info, with warnings on stderr of rank 0 and nowhere else.
// tests/unit/hints_test.cpp has the parsing itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

// What this rank prints on stderr until the end of the block.
class StderrCapture {
 public:
  StderrCapture() : path_(fresh_path() + ".stderr." + std::to_string(world_rank())) {
    std::fflush(stderr);
    saved_ = ::dup(STDERR_FILENO);
    const int file = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;
  ~StderrCapture() {
    std::fflush(stderr);
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::unlink(path_.c_str());
  }
  std::string text() const {
    std::fflush(stderr);
    return bytes_of(path_);
  }

 private:
  std::string path_;
  int saved_ = -1;
};

// Opens a file and says what was printed meanwhile. No source of hints but those of the test.
class Hints : public ::testing::Test {
 protected:
  // Collective; the suffix of the name is for patterns.
  void open(MPI_Info info = MPI_INFO_NULL, const std::string& suffix = "") {
    const StderrCapture capture;
    file_.reset();
    path_ = temp_.path() + suffix;
    file_ = std::make_unique<TestFile>(
        path_, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info);
    printed_ = capture.text();
  }
  void expect_hint(const char* key, const std::string& value) const {
    EXPECT_EQ(hint_of(file_->get(), key).value_or("(none)"), value) << key;
  }
  void expect_silence() const { EXPECT_EQ(printed_, ""); }
  // Rank 0 says a sentence with all of these; the others say nothing.
  void expect_warning(std::initializer_list<const char*> parts) const {
    if (world_rank() != 0) return expect_silence();
    EXPECT_TRUE(contains(printed_, "tributary: warning: ")) << "'" << printed_ << "'";
    for (const char* part : parts)
      EXPECT_TRUE(contains(printed_, part)) << part << " in " << printed_;
  }

  TempVariable no_hints_{"TRIBUTARY_HINTS", std::nullopt};
  TempVariable no_cray_hints_{"MPICH_MPIIO_HINTS", std::nullopt};
  TempVariable no_file_{"TRIBUTARY_HINTS_FILE", std::nullopt};
  TempVariable no_romio_file_{"ROMIO_HINTS", std::nullopt};
  TempFile temp_;
  std::unique_ptr<TestFile> file_;
  std::string path_;
  std::string printed_;
};

TEST_F(Hints, Defaults) {
  open();
  expect_hint("cb_buffer_size", "16777216");
  EXPECT_NE(hint_of(file_->get(), "ind_rd_buffer_size"), std::nullopt);
  EXPECT_NE(hint_of(file_->get(), "ind_wr_buffer_size"), std::nullopt);
  expect_hint("romio_ds_read", "automatic");
  expect_hint("tributary_strategy", "automatic");
  expect_silence();
}

TEST_F(Hints, InfoValuesAreParsed) {
  const TempInfo info({{"cb_buffer_size", "16M"},
                       {"ind_rd_buffer_size", "1GiB"},
                       {"ind_wr_buffer_size", "64k"},
                       {"romio_ds_write", "DISABLE"},
                       {"romio_no_indep_rw", "yes"},
                       {"cb_nodes", "3"}});
  open(info.get());
  expect_hint("cb_buffer_size", "16777216");
  expect_hint("ind_rd_buffer_size", "1073741824");
  expect_hint("ind_wr_buffer_size", "65536");
  expect_hint("romio_ds_write", "disable");
  expect_hint("romio_no_indep_rw", "true");
  expect_hint("cb_nodes", "3");
  expect_silence();
}

TEST_F(Hints, NamesOfOtherLibraries) {
  const TempInfo info({{"collective_buffering", "false"},
                       {"stripe_size", "1M"},
                       {"cray_cb_write_lock_mode", "2"},
                       {"direct_io", "true"}});
  open(info.get());
  expect_hint("romio_cb_write", "disable");
  expect_hint("romio_cb_read", "disable");
  expect_hint("collective_buffering", "false");  // the program finds the key it gave
  expect_hint("striping_unit", "1048576");
  expect_hint("tributary_lock_mode", "lock_ahead");
  expect_hint("direct_write", "true");
  expect_silence();
}

TEST_F(Hints, UnknownKeysAreIgnored) {
  const TempInfo info({{"no_such_hint", "whatever"}, {"cb_nodes", "2"}});
  open(info.get());
  expect_hint("cb_nodes", "2");
  expect_silence();
}

// --- environment ---------------------------------------------------------------------------

TEST_F(Hints, PatternsChooseFiles) {
  for (const char* variable : {"TRIBUTARY_HINTS", "MPICH_MPIIO_HINTS"}) {
    const TempVariable hints(
        variable, "*.h5:cb_nodes=4:cb_buffer_size=8M,*.nc:cb_nodes=2,*:romio_ds_read=disable");
    open(MPI_INFO_NULL, ".h5");
    expect_hint("cb_nodes", "4");
    expect_hint("cb_buffer_size", "8388608");
    expect_hint("romio_ds_read", "disable");
    open(MPI_INFO_NULL, ".nc");
    expect_hint("cb_nodes", "2");
    expect_hint("cb_buffer_size", "16777216");
    open(MPI_INFO_NULL, ".dat");
    expect_hint("romio_ds_read", "disable");
    EXPECT_NE(hint_of(file_->get(), "cb_nodes"), "2");
    expect_silence();
  }
}

TEST_F(Hints, OneVariableForOneHint) {
  const TempVariable ours("TRIBUTARY_IND_WR_BUFFER_SIZE", "128K");
  const TempVariable strategy("TRIBUTARY_STRATEGY", "packed");
  const TempVariable theirs("OMPI_MCA_io_ompio_num_aggregators", "7");
  open();
  expect_hint("ind_wr_buffer_size", "131072");
  expect_hint("tributary_strategy", "packed");
  expect_hint("cb_nodes", "7");
}

TEST_F(Hints, MalformedPatternsAreNamed) {
  const TempVariable hints("TRIBUTARY_HINTS", "*:cb_nodes,*:romio_ds_read=enable");
  open();
  expect_hint("romio_ds_read", "enable");
  expect_warning({"TRIBUTARY_HINTS", "cb_nodes"});
}

// --- hints files ---------------------------------------------------------------------------

TEST_F(Hints, FilesReachEveryRank) {
  const TempFile hints("# comment\ncb_nodes 5\nind_rd_buffer_size = 64K\nromio_ds_read disable\n");
  for (const char* variable : {"TRIBUTARY_HINTS_FILE", "ROMIO_HINTS"}) {
    const TempVariable named(variable, hints.path());
    open();
    expect_hint("cb_nodes", "5");
    expect_hint("ind_rd_buffer_size", "65536");
    expect_hint("romio_ds_read", "disable");
    expect_silence();
  }
}

TEST_F(Hints, OursComesAfterRomiosFile) {
  const TempFile romio("cb_nodes 5\nind_wr_buffer_size 1000\n");
  const TempFile ours("cb_nodes 6\n");
  const TempVariable romio_variable("ROMIO_HINTS", romio.path());
  const TempVariable our_variable("TRIBUTARY_HINTS_FILE", ours.path());
  open();
  expect_hint("cb_nodes", "6");
  expect_hint("ind_wr_buffer_size", "1000");
}

TEST_F(Hints, AMissingFileIsNamed) {
  const TempFile absent;
  const TempVariable named("TRIBUTARY_HINTS_FILE", absent.path());
  open();
  expect_warning({absent.c_str(), "No such file"});
}

TEST_F(Hints, LinesThatAreWrongAreNamed) {
  const TempFile hints("cb_nodes 5\n\nromio_ds_read sometimes\n");
  const TempVariable named("TRIBUTARY_HINTS_FILE", hints.path());
  open();
  expect_hint("cb_nodes", "5");
  expect_hint("romio_ds_read", "automatic");
  expect_warning({hints.c_str(), "line 3", "romio_ds_read", "sometimes", "automatic"});
}

TEST_F(Hints, LaterSourcesWin) {
  const TempFile file(
      "cb_nodes 2\ncb_buffer_size 2M\nind_rd_buffer_size 2M\nind_wr_buffer_size 2M\n");
  const TempVariable from_file("TRIBUTARY_HINTS_FILE", file.path());
  const TempVariable cray("MPICH_MPIIO_HINTS",
                          "*:cb_buffer_size=3M:ind_rd_buffer_size=3M:ind_wr_buffer_size=3M");
  const TempVariable ours("TRIBUTARY_HINTS", "*:ind_rd_buffer_size=4M:ind_wr_buffer_size=4M");
  const TempInfo info({{"ind_wr_buffer_size", "5M"}});
  open(info.get());
  expect_hint("cb_nodes", "2");
  expect_hint("cb_buffer_size", "3145728");
  expect_hint("ind_rd_buffer_size", "4194304");
  expect_hint("ind_wr_buffer_size", "5242880");
  expect_hint("romio_ds_write", "automatic");
}

// --- bad values ----------------------------------------------------------------------------

TEST_F(Hints, BadValuesAreIgnoredWithAWarning) {
  struct Case {
    const char* key;
    const char* value;
    const char* kept;
    const char* allowed;
  };
  for (const Case& one :
       {Case{"cb_buffer_size", "many", "16777216", "such as 65536, 64K or 64KiB"},
        Case{"cb_buffer_size", "0", "16777216", "from 1 to"},
        Case{"cb_buffer_size", "-5", "16777216", "from 1 to"},
        Case{"cb_buffer_size", "16X", "16777216", "64KiB"},
        Case{"cb_buffer_size", "99999999999999999999", "16777216", "from 1 to"},
        Case{"romio_ds_read", "maybe", "automatic", "disable, enable, automatic"},
        Case{"tributary_strategy", "fast", "automatic", "direct, packed, list, sieve, rmw, mapped"},
        Case{"romio_no_indep_rw", "2", "false", "true or false"}}) {
    const TempInfo info({{one.key, one.value}});
    open(info.get());
    expect_hint(one.key, one.kept);
    expect_warning({one.key, one.value, "MPI_Info", one.allowed});
  }
}

// --- ranks that differ ---------------------------------------------------------------------

TEST_F(Hints, RankZeroCountsWhereInfosDiffer) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  const std::string value = std::to_string(10 + world_rank());
  const TempInfo info({{"cb_nodes", value.c_str()}, {"romio_ds_write", "disable"}});
  open(info.get());
  expect_hint("cb_nodes", "10");
  expect_warning({"'cb_nodes'", "differs between ranks"});
  EXPECT_FALSE(contains(printed_, "romio_ds_write")) << printed_;
}

TEST_F(Hints, RankZeroCountsWhereOnlyOthersGiveAValue) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  const TempInfo info({{"cb_buffer_size", "1M"}});
  open(world_rank() == 1 ? info.get() : MPI_INFO_NULL);
  expect_hint("cb_buffer_size", "16777216");
  expect_warning({"'cb_buffer_size'", "differs between ranks"});
}

TEST_F(Hints, RankZeroCountsWhereEnvironmentsDiffer) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  const TempVariable hints("TRIBUTARY_HINTS",
                           world_rank() == 0 ? "*:romio_ds_write=enable" : "*:cb_nodes=3");
  open();
  expect_hint("romio_ds_write", "enable");
  EXPECT_NE(hint_of(file_->get(), "cb_nodes"), "3");
  expect_warning({"'romio_ds_write'", "'cb_nodes'"});
}

TEST_F(Hints, SomeHintsAreEachRanksOwn) {
  const std::string value = std::to_string(1000 + world_rank());
  const TempInfo info({{"ind_rd_buffer_size", value.c_str()}});
  open(info.get());
  expect_hint("ind_rd_buffer_size", value);
  expect_silence();
}

// --- after the open ------------------------------------------------------------------------

TEST_F(Hints, SetInfoChangesWhatMayChange) {
  open();
  const TempInfo info(
      {{"ind_wr_buffer_size", "1M"}, {"tributary_strategy", "list"}, {"cb_nodes", "9"}});
  const StderrCapture capture;
  EXPECT_TRUE(succeeded(MPI_File_set_info(file_->get(), info.get())));
  expect_hint("ind_wr_buffer_size", "1048576");
  expect_hint("tributary_strategy", "list");
  EXPECT_NE(hint_of(file_->get(), "cb_nodes"), "9");  // only at open
  EXPECT_TRUE(succeeded(MPI_File_set_info(file_->get(), MPI_INFO_NULL)));
  expect_hint("ind_wr_buffer_size", "1048576");
  EXPECT_EQ(capture.text(), "");
}

TEST_F(Hints, SetViewTakesHintsToo) {
  open();
  const TempInfo info({{"ind_rd_buffer_size", "2M"}});
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_->get(), 0, MPI_BYTE, MPI_BYTE, "native", info.get())));
  expect_hint("ind_rd_buffer_size", "2097152");
}

TEST_F(Hints, BadValuesAfterTheOpen) {
  open();
  const TempInfo info({{"tributary_strategy", "fast"}});
  {
    const StderrCapture capture;
    EXPECT_TRUE(succeeded(MPI_File_set_info(file_->get(), info.get())));
    printed_ = capture.text();
  }
  expect_hint("tributary_strategy", "automatic");
  expect_warning({"tributary_strategy", "fast", "packed"});
}

TEST_F(Hints, RankZeroCountsAfterTheOpen) {
  if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  open();
  const TempInfo info({{"tributary_strategy", world_rank() == 0 ? "packed" : "list"}});
  {
    const StderrCapture capture;
    EXPECT_TRUE(succeeded(MPI_File_set_info(file_->get(), info.get())));
    printed_ = capture.text();
  }
  expect_hint("tributary_strategy", "packed");
  expect_warning({"'tributary_strategy'", "differs between ranks"});
}

// --- what the library says of itself -------------------------------------------------------

TEST_F(Hints, FileSystem) {
  open();
  const std::string name = hint_of(file_->get(), "romio_filesystem_type").value_or("");
  EXPECT_EQ(name.substr(0, 11), "TRIBUTARY: ");
  EXPECT_GT(name.size(), 11U);
  if (path_.starts_with("/dev/shm/")) {
    EXPECT_EQ(name, "TRIBUTARY: tmpfs");
  }
}

TEST_F(Hints, StrategyOfTheLastAccess) {
  open();
  EXPECT_EQ(hint_of(file_->get(), "tributary_strategy_used"), std::nullopt);
  std::string data = pattern(100);
  EXPECT_TRUE(succeeded(
      MPI_File_write_at_all(file_->get(), 0, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE)));
  expect_hint("tributary_strategy_used", "direct: one run in memory and in the file");
  const TempInfo info({{"tributary_strategy", "packed"}});
  EXPECT_TRUE(succeeded(MPI_File_set_info(file_->get(), info.get())));
  EXPECT_TRUE(succeeded(
      MPI_File_read_at_all(file_->get(), 0, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE)));
  expect_hint("tributary_strategy_used", "packed: asked for by hint");
  EXPECT_TRUE(same_bytes(data, pattern(100)));
}

TEST_F(Hints, InformationalHintsCannotBeSet) {
  const TempInfo info({{"romio_filesystem_type", "mine"}, {"tributary_strategy_used", "mine"}});
  open(info.get());
  EXPECT_NE(hint_of(file_->get(), "romio_filesystem_type"), "mine");
  EXPECT_NE(hint_of(file_->get(), "tributary_strategy_used"), "mine");
}

// What get_info gives is good for the next open.
TEST_F(Hints, InfoRoundTrip) {
  const TempInfo first({{"cb_buffer_size", "3M"}, {"collective_buffering", "true"}});
  open(first.get());
  MPI_Info info = MPI_INFO_NULL;
  EXPECT_TRUE(succeeded(MPI_File_get_info(file_->get(), &info)));
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  EXPECT_GT(keys, 30);
  open(info);
  MPI_Info_free(&info);
  expect_hint("cb_buffer_size", "3145728");
  expect_hint("romio_cb_read", "enable");
  expect_silence();
}

}  // namespace
}  // namespace tributary::test
