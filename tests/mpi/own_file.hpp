// A fixture for tests in which every rank has a file of its own: nothing is about other ranks.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "file_fixture.hpp"

namespace tributary::test {

class OwnFile : public ::testing::Test {
 protected:
  void view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    EXPECT_TRUE(succeeded(
        MPI_File_set_view(file_.get(), displacement, etype, filetype, "native", MPI_INFO_NULL)));
  }
  void write(const void* data, int count, MPI_Datatype type, MPI_Offset offset = 0) {
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_write_at(file_.get(), offset, data, count, type, &status)));
    expect_whole(status, count, type);
  }
  void read(void* data, int count, MPI_Datatype type, MPI_Offset offset = 0) {
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_read_at(file_.get(), offset, data, count, type, &status)));
    expect_whole(status, count, type);
  }
  void expect_whole(const MPI_Status& status, int count, MPI_Datatype type) {
    int found = -1;
    MPI_Get_count(&status, type, &found);
    EXPECT_EQ(found, count);
  }
  void put(const std::string& bytes) { put_bytes(path_, bytes); }
  void expect_bytes(const std::string& expected) {
    EXPECT_TRUE(same_bytes(bytes_of(path_), expected));
  }
  MPI_Offset place(MPI_Offset offset) {
    MPI_Offset bytes = -1;
    EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file_.get(), offset, &bytes)));
    return bytes;
  }

  std::string path_ = fresh_path() + "." + std::to_string(world_rank());
  TestFile file_{path_, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                 MPI_COMM_SELF};
};

}  // namespace tributary::test
