// Error handlers of files: whose errors they get, how long they live, what the sentences say.
// Handlers written in Fortran are tested in tests/fortran.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <thread>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

int others_called = 0;

void count_call(MPI_File*, int*, ...) {
  ++others_called;
}

MPI_Errhandler make_handler(MPI_File_errhandler_function* function) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  EXPECT_TRUE(succeeded(MPI_File_create_errhandler(function, &handler)));
  return handler;
}

MPI_Errhandler handler_of(MPI_File file) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  EXPECT_TRUE(succeeded(MPI_File_get_errhandler(file, &handler)));
  return handler;
}

// An error that needs no other rank.
int provoke(MPI_File file) {
  return MPI_File_seek(file, -1, MPI_SEEK_SET);
}

class Errhandlers : public ::testing::Test {
 protected:
  void SetUp() override {
    handler_calls().clear();
    others_called = 0;
  }
  TempFile temp_{pattern(100)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
};

TEST_F(Errhandlers, ErrorsAreReturnedByDefault) {
  EXPECT_EQ(handler_of(file_.get()), MPI_ERRORS_RETURN);
  EXPECT_EQ(handler_of(MPI_FILE_NULL), MPI_ERRORS_RETURN);
  EXPECT_TRUE(fails_with(provoke(file_.get()), MPI_ERR_ARG));
}

TEST_F(Errhandlers, AHandlerIsCalledOnceForEachError) {
  MPI_Errhandler handler = make_handler(record_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), handler)));
  for (int i = 0; i < 3; ++i)
    expect_raised(file_.get(), MPI_ERR_ARG, "seek", [&] { return provoke(file_.get()); });
  handler_calls().clear();
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 1, MPI_SEEK_SET)));
  EXPECT_TRUE(handler_calls().empty());
  MPI_Errhandler_free(&handler);
}

// The file keeps the handler alive after the program let go of it.
TEST_F(Errhandlers, AFreedHandlerStillWorks) {
  MPI_Errhandler handler = make_handler(record_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), handler)));
  EXPECT_TRUE(succeeded(MPI_Errhandler_free(&handler)));
  EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
  // New handlers must not take its place.
  for (int i = 0; i < 20; ++i) {
    MPI_Errhandler other = make_handler(count_call);
    MPI_Errhandler_free(&other);
  }
  expect_raised(file_.get(), MPI_ERR_ARG, "seek", [&] { return provoke(file_.get()); });
  EXPECT_EQ(others_called, 0);
}

TEST_F(Errhandlers, GetGivesWhatWasSet) {
  MPI_Errhandler handler = make_handler(record_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), handler)));
  MPI_Errhandler found = handler_of(file_.get());
  EXPECT_EQ(found, handler);
  EXPECT_TRUE(succeeded(MPI_Errhandler_free(&handler)));
  EXPECT_TRUE(succeeded(MPI_Errhandler_free(&found)));
  found = handler_of(file_.get());
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), MPI_ERRORS_RETURN)));
  // The reference that get gave is enough to set it again.
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), found)));
  EXPECT_TRUE(succeeded(MPI_Errhandler_free(&found)));
  expect_raised(file_.get(), MPI_ERR_ARG, "seek", [&] { return provoke(file_.get()); });
}

TEST_F(Errhandlers, ReplacedHandlersAreNotCalled) {
  MPI_Errhandler first = make_handler(count_call);
  MPI_Errhandler second = make_handler(record_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), first)));
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), first)));
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file_.get(), second)));
  MPI_Errhandler_free(&first);
  MPI_Errhandler_free(&second);
  expect_raised(file_.get(), MPI_ERR_ARG, "seek", [&] { return provoke(file_.get()); });
  EXPECT_EQ(others_called, 0);
}

TEST_F(Errhandlers, TwoFilesHaveTheirOwn) {
  const TestFile other(temp_.path(), MPI_MODE_RDONLY, MPI_INFO_NULL, MPI_COMM_SELF);
  const RecordErrors recorded(file_.get());
  MPI_Errhandler counting = make_handler(count_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(other.get(), counting)));
  MPI_Errhandler_free(&counting);
  provoke(other.get());
  EXPECT_EQ(others_called, 1);
  EXPECT_TRUE(handler_calls().empty());
  expect_raised(file_.get(), MPI_ERR_ARG, "seek", [&] { return provoke(file_.get()); });
  EXPECT_EQ(others_called, 1);
}

TEST_F(Errhandlers, NewFilesInheritTheHandlerOfTheNullFile) {
  MPI_Errhandler handler = make_handler(record_call);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(MPI_FILE_NULL, handler)));
  const TestFile heir(temp_.path(), MPI_MODE_RDONLY, MPI_INFO_NULL, MPI_COMM_SELF);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN)));
  MPI_Errhandler_free(&handler);
  expect_raised(heir.get(), MPI_ERR_ARG, "seek", [&] { return provoke(heir.get()); });
  // A file that was open before keeps its own.
  handler_calls().clear();
  provoke(file_.get());
  EXPECT_TRUE(handler_calls().empty());
}

TEST_F(Errhandlers, TheNullFileGetsErrorsWithoutAFile) {
  const RecordErrors recorded(MPI_FILE_NULL);
  MPI_File none = MPI_FILE_NULL;
  const TempFile absent;
  expect_raised(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE, "open", [&] {
    return MPI_File_open(MPI_COMM_SELF, absent.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none);
  });
  expect_raised(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE, "delete",
                [&] { return MPI_File_delete(absent.c_str(), MPI_INFO_NULL); });
  expect_raised(MPI_FILE_NULL, MPI_ERR_FILE, "close", [&] { return MPI_File_close(&none); });
}

TEST_F(Errhandlers, CallErrhandler) {
  const RecordErrors recorded(file_.get());
  EXPECT_TRUE(succeeded(MPI_File_call_errhandler(file_.get(), MPI_ERR_QUOTA)));
  ASSERT_EQ(handler_calls().size(), 1U);
  EXPECT_EQ(handler_calls()[0].file, file_.get());
  EXPECT_EQ(handler_calls()[0].code, MPI_ERR_QUOTA);
  const RecordErrors on_null(MPI_FILE_NULL);
  handler_calls().clear();
  EXPECT_TRUE(succeeded(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO)));
  ASSERT_EQ(handler_calls().size(), 1U);
  EXPECT_EQ(handler_calls()[0].file, MPI_FILE_NULL);
  EXPECT_EQ(handler_calls()[0].code, MPI_ERR_IO);
}

void comm_handler(MPI_Comm*, int*, ...) {}

TEST_F(Errhandlers, HandlersOfOtherObjectsAreRefused) {
  const RecordErrors recorded(file_.get());
  MPI_Errhandler of_comm = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(comm_handler, &of_comm);
  expect_raised(file_.get(), MPI_ERR_ARG, "the handler of a communicator",
                [&] { return MPI_File_set_errhandler(file_.get(), of_comm); });
  expect_raised(file_.get(), MPI_ERR_ARG, "no handler",
                [&] { return MPI_File_set_errhandler(file_.get(), MPI_ERRHANDLER_NULL); });
  MPI_Errhandler_free(&of_comm);
  EXPECT_EQ(of_comm, MPI_ERRHANDLER_NULL);
  // Handlers of communicators still reach the MPI itself.
  MPI_Comm_create_errhandler(comm_handler, &of_comm);
  EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  EXPECT_EQ(MPI_Errhandler_free(&of_comm), MPI_SUCCESS);
}

void close_file(MPI_File* file, int* code, ...) {
  MPI_File closing = *file;
  record_call(file, code);
  EXPECT_TRUE(succeeded(MPI_File_close(&closing)));
}

TEST_F(Errhandlers, AHandlerMayCloseTheFile) {
  MPI_File file = MPI_FILE_NULL;
  EXPECT_TRUE(succeeded(
      MPI_File_open(MPI_COMM_SELF, temp_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
  MPI_Errhandler closing = make_handler(close_file);
  EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file, closing)));
  MPI_Errhandler_free(&closing);
  expect_raised(file, MPI_ERR_ARG, "seek", [&] { return provoke(file); });
  EXPECT_TRUE(fails_with(provoke(file), MPI_ERR_FILE));
}

// --- sentences -----------------------------------------------------------------------------

TEST_F(Errhandlers, SentencesNameFileAndCause) {
  const std::string sentence = sentence_of(provoke(file_.get()));
  EXPECT_TRUE(contains(sentence, temp_.path())) << sentence;
  EXPECT_TRUE(contains(sentence, "start of the view")) << sentence;
  const TempFile absent;
  MPI_File none = MPI_FILE_NULL;
  const std::string missing = sentence_of(
      MPI_File_open(MPI_COMM_SELF, absent.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none));
  EXPECT_TRUE(contains(missing, absent.path())) << missing;
  EXPECT_TRUE(contains(missing, "No such file")) << missing;
  // The older code still has its own words.
  EXPECT_EQ(sentence_of(MPI_ERR_ARG), sentence);
}

TEST_F(Errhandlers, OtherRanksSayWhoFailed) {
  if (world_size() < 2) GTEST_SKIP() << "there is no other rank";
  MPI_Status status;
  char byte = 0;
  const int last = world_size() - 1;
  const int count = world_rank() == last ? -1 : 1;
  const int code =
      MPI_File_write_at_all(file_.get(), world_rank(), &byte, count, MPI_BYTE, &status);
  const std::string sentence = sentence_of(code);
  EXPECT_TRUE(contains(sentence, temp_.path())) << sentence;
  EXPECT_TRUE(contains(sentence, "the count is negative")) << sentence;
  if (world_rank() != last) {
    EXPECT_TRUE(contains(sentence, "rank " + std::to_string(last))) << sentence;
  }
}

TEST_F(Errhandlers, SentencesBelongToTheThread) {
  const std::string mine = sentence_of(provoke(file_.get()));
  std::string theirs = mine;
  std::thread([&] { theirs = sentence_of(MPI_ERR_ARG); }).join();
  EXPECT_NE(theirs, mine);
  EXPECT_FALSE(theirs.empty());
}

TEST_F(Errhandlers, OtherErrorsKeepTheMpisWords) {
  EXPECT_FALSE(sentence_of(MPI_SUCCESS).empty());
  EXPECT_FALSE(contains(sentence_of(MPI_ERR_TRUNCATE), temp_.path()));
  EXPECT_FALSE(sentence_of(MPI_ERR_TRUNCATE).empty());
  int length = 0;
  EXPECT_EQ(MPI_Error_string(MPI_ERR_RANK, std::string(MPI_MAX_ERROR_STRING, ' ').data(), &length),
            MPI_SUCCESS);
  EXPECT_GT(length, 0);
}

}  // namespace
}  // namespace tributary::test
