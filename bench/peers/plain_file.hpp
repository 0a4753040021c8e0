// The file as the operating system shows it: for set-up, for the limit and for the checks. A
// failure ends the whole run.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tributary::bench {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "access_bench: %s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// `done` and `wanted` count bytes, or elements of a datatype.
inline void check_amount(std::int64_t done, std::int64_t wanted, const char* call) {
  if (done != wanted) {
    fail(std::string(call) + ": " + std::to_string(done) + " of " + std::to_string(wanted) +
         (done < 0 ? std::string(", ") + std::strerror(errno) : ""));
  }
}

inline constexpr std::int64_t kChunkBytes = 1 << 20;  // of a plain write or read

class PlainFile {
 public:
  PlainFile(const std::string& path, int flags) : fd_(::open(path.c_str(), flags, 0666)) {
    if (fd_ < 0) fail("open " + path + ": " + std::strerror(errno));
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() { ::close(fd_); }

  void write(const std::uint8_t* data, std::int64_t bytes, std::int64_t offset,
             std::int64_t chunk_bytes = kChunkBytes) const {
    for (std::int64_t at = 0; at < bytes; at += chunk_bytes) {
      const std::int64_t chunk = std::min(chunk_bytes, bytes - at);
      check_amount(::pwrite(fd_, data + at, static_cast<std::size_t>(chunk), offset + at), chunk,
                   "pwrite");
    }
  }
  void read(std::uint8_t* data, std::int64_t bytes, std::int64_t offset) const {
    for (std::int64_t at = 0; at < bytes; at += kChunkBytes) {
      const std::int64_t chunk = std::min(kChunkBytes, bytes - at);
      check_amount(::pread(fd_, data + at, static_cast<std::size_t>(chunk), offset + at), chunk,
                   "pread");
    }
  }
  // Calls use(first byte) with the first `bytes` of the file mapped.
  template <typename Use>
  auto mapped(std::int64_t bytes, Use&& use) const {
    const auto length = static_cast<std::size_t>(bytes);
    void* base = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd_, 0);
    if (base == MAP_FAILED) fail(std::string("mmap: ") + std::strerror(errno));
    const auto result = use(static_cast<const std::uint8_t*>(base));
    ::munmap(base, length);
    return result;
  }
  std::int64_t size() const { return ::lseek(fd_, 0, SEEK_END); }

 private:
  int fd_;
};

}  // namespace tributary::bench
