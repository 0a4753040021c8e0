// A file that random scenarios run on: opened by all ranks, removed at the end.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "mpi_test.hpp"
#include "scenario.hpp"

namespace tributary::test {

class OpenedFile {
 public:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  explicit OpenedFile(const std::string& path, int more_mode = 0, const Hints& hints = {})
      : path_(path) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | more_mode;
    const int error = MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, info, &file_.handle);
    MPI_Info_free(&info);
    EXPECT_EQ(error, MPI_SUCCESS);
    if (world_rank() == 0) file_.posix = ::open(path.c_str(), O_RDONLY);
  }
  ~OpenedFile() {
    if (file_.posix >= 0) ::close(file_.posix);
    EXPECT_EQ(MPI_File_close(&file_.handle), MPI_SUCCESS);
    if (world_rank() == 0) ::unlink(path_.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  ScenarioFile get() const { return file_; }

  // The value of a hint, empty if there is none.
  std::string hint(const char* name) const {
    MPI_Info info = MPI_INFO_NULL;
    MPI_File_get_info(file_.handle, &info);
    std::array<char, MPI_MAX_INFO_VAL + 1> value{};
    int found = 0;
    MPI_Info_get(info, name, MPI_MAX_INFO_VAL, value.data(), &found);
    MPI_Info_free(&info);
    return found != 0 ? value.data() : "";
  }

 private:
  std::string path_;
  ScenarioFile file_;
};

}  // namespace tributary::test
