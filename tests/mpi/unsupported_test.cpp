// What src/api/later.cpp lists: refused in a clean way, through the file's handler, the request
// null, nothing on disk changed. The list here shrinks with the one there.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

class Unsupported : public ::testing::Test {
 protected:
  void TearDown() override { expect_usable(file_.get()); }

  template <typename Call>
  void refuse(const char* what, Call call) {
    const std::string before = bytes_of(temp_.path());
    const int code = expect_raised(file_.get(), MPI_ERR_UNSUPPORTED_OPERATION, what, call);
    EXPECT_TRUE(contains(sentence_of(code), what)) << sentence_of(code);
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), before)) << what;
  }
  // The request is null afterwards, so that a program that waits all the same goes on.
  template <typename Call>
  void refuse_request(const char* what, Call call) {
    MPI_Request request = poison_;
    refuse(what, [&] { return call(&request); });
    EXPECT_EQ(request, MPI_REQUEST_NULL) << what;
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS) << what;
  }

  void SetUp() override {
    MPI_Recv_init(&unused_, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &poison_);
  }
  ~Unsupported() override { MPI_Request_free(&poison_); }

  TempFile temp_{pattern(100)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
  RecordErrors errors_{file_.get()};
  char unused_ = 0;
  MPI_Request poison_ = MPI_REQUEST_NULL;  // what a request must not stay
  char data_[4] = {'a', 'b', 'c', 'd'};
  MPI_Status status_{};
};

#define REFUSE(name, ...) refuse(#name, [&] { return name(file_.get(), __VA_ARGS__); })
#define REFUSE_REQUEST(name, ...) \
  refuse_request(#name,           \
                 [&](MPI_Request* request) { return name(file_.get(), __VA_ARGS__, request); })

#define REFUSE_BOTH(macro, before, after, ...)        \
  macro(MPI_File_##before##read##after, __VA_ARGS__); \
  macro(MPI_File_##before##write##after, __VA_ARGS__)

TEST_F(Unsupported, Nonblocking) {
  REFUSE_BOTH(REFUSE_REQUEST, i, , data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _at, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _all, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _at_all, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _shared, data_, 4, MPI_BYTE);
}

TEST_F(Unsupported, Split) {
  REFUSE_BOTH(REFUSE, , _all_begin, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _all_end, data_, &status_);
  REFUSE_BOTH(REFUSE, , _at_all_begin, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _at_all_end, data_, &status_);
  REFUSE_BOTH(REFUSE, , _ordered_begin, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _ordered_end, data_, &status_);
}

TEST_F(Unsupported, SharedPointer) {
  REFUSE_BOTH(REFUSE, , _shared, data_, 4, MPI_BYTE, &status_);
  REFUSE_BOTH(REFUSE, , _ordered, data_, 4, MPI_BYTE, &status_);
  MPI_Offset position = 77;
  REFUSE(MPI_File_seek_shared, 0, MPI_SEEK_SET);
  REFUSE(MPI_File_get_position_shared, &position);
  EXPECT_EQ(position, 77);
}

int no_extent(MPI_Datatype, MPI_Aint*, void*) {
  return MPI_SUCCESS;
}

TEST_F(Unsupported, DataRepresentations) {
  const RecordErrors errors(MPI_FILE_NULL);
  expect_raised(MPI_FILE_NULL, MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Register_datarep", [&] {
    return MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, no_extent,
                                nullptr);
  });
}

#if MPI_VERSION >= 4
TEST_F(Unsupported, LargeCounts) {
  REFUSE_BOTH(REFUSE_REQUEST, i, _c, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _at_c, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _all_c, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _at_all_c, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE_REQUEST, i, _shared_c, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _all_begin_c, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _at_all_begin_c, 0, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _ordered_begin_c, data_, 4, MPI_BYTE);
  REFUSE_BOTH(REFUSE, , _shared_c, data_, 4, MPI_BYTE, &status_);
  REFUSE_BOTH(REFUSE, , _ordered_c, data_, 4, MPI_BYTE, &status_);
  const RecordErrors errors(MPI_FILE_NULL);
  expect_raised(MPI_FILE_NULL, MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Register_datarep_c", [&] {
    return MPI_Register_datarep_c("mine", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C,
                                  no_extent, nullptr);
  });
}
#endif

}  // namespace
}  // namespace tributary::test
