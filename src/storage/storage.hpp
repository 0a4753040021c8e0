// What a file system must offer: primitives, never algorithms, and traits to choose by.
// A new file system is one class of this kind; everything above it stays as it is.
//
// The primitives are single system calls with the kernel's manners: they may move less than
// asked for and may be interrupted. transfer.hpp holds the only loops that make whole
// transfers of them, so a decorator (faulty.hpp) can disturb every one of these calls.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/types.hpp"

namespace tributary::storage {

struct Traits {
  std::string_view file_system = "unknown";  // as users call it: tmpfs, ext4, nfs ...
  // What one process writes, every other one reads at once: no client caches of their own.
  bool visible_at_once = false;
  // A store through a shared mapping is seen at once, byte by byte, by every process that
  // reads the file or maps it: local file systems with one page cache.
  bool mappings_coherent = false;
  ByteCount block_bytes = 4096;
  // Costs for the planner, as orders of magnitude (docs/performance.md says how measured).
  std::int64_t call_ns = 2000;        // a small write
  std::int64_t store_page_ns = 6000;  // making one page of a mapping writable
};

// A piece of the file in memory; unmapped at the end of its life.
class Mapping {
 public:
  Mapping(void* start, std::size_t length, std::byte* data)
      : start_(start), length_(length), data_(data) {}
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  std::byte* data() const { return data_; }

 private:
  void* start_;
  std::size_t length_;
  std::byte* data_;
};

enum class LockMode : std::uint8_t { shared, exclusive };
enum class Wait : std::uint8_t { yes, no };  // no: -EAGAIN where another open holds the range

// An open file as one rank sees it. Calls return 0 or a byte count, or -errno.
class Storage {
 public:
  virtual ~Storage() = default;

  virtual ssize_t read_some(FileOffset offset, std::span<const iovec> to) = 0;
  virtual ssize_t write_some(FileOffset offset, std::span<const iovec> from) = 0;
  virtual int sync() = 0;
  virtual int resize(FileOffset size) = 0;
  // Makes sure that later stores into the extent find room; grows the file to its end.
  virtual int reserve(Extent extent) = 0;
  virtual FileOffset size() = 0;
  // Byte-range lock against every other open of the file.
  virtual int lock(Extent extent, LockMode mode, Wait wait) = 0;
  virtual int unlock(Extent extent) = 0;
  // Maps an extent that lies inside the file, for reading and writing.
  virtual Result<Mapping> map(Extent extent) = 0;
  virtual int close() = 0;

  virtual const Traits& traits() const = 0;
  virtual const std::string& path() const = 0;
  // Opened for writing only, but the file may be read all the same (read-modify-write).
  virtual bool readable() const = 0;
};

struct OpenOptions {
  bool read = false;
  bool write = false;
  bool create = false;     // make the file if it is missing
  bool exclusive = false;  // with create: fail if it is there
  mode_t permissions = 0666;
};

struct Opened {
  std::unique_ptr<Storage> storage;
  std::string created;  // the file that this very call made, if it made one
};

}  // namespace tributary::storage
