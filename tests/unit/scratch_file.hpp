// A file name that is free at first and gone at the end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tributary::test {

class ScratchFile {
 public:
  ScratchFile()
      : path_((std::filesystem::path(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") /
               ("tributary-" + std::to_string(getpid()) + "-" + std::to_string(next()++)))
                  .string()) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

 private:
  static std::atomic<int>& next() {
    static std::atomic<int> counter{0};
    return counter;
  }
  std::string path_;
};

}  // namespace tributary::test
