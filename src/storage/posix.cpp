#include "storage/posix.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/errno_error.hpp"

namespace tributary::storage {
namespace {

struct FileSystemRow {
  long magic;
  std::string_view name;
  bool one_page_cache;
  std::int64_t call_ns = Traits{}.call_ns;
  std::int64_t store_page_ns = Traits{}.store_page_ns;
};

// Only local file systems with one page cache promise coherent mappings; overlayfs does not
// (a reader may hold the lower file), network file systems never do.
constexpr std::array kFileSystems{
    FileSystemRow{TMPFS_MAGIC, "tmpfs", true, 900, 250},
    FileSystemRow{EXT4_SUPER_MAGIC, "ext4", true},
    FileSystemRow{0x58465342, "xfs", true},
    FileSystemRow{BTRFS_SUPER_MAGIC, "btrfs", true},
    FileSystemRow{RAMFS_MAGIC, "ramfs", true, 900, 250},
    FileSystemRow{F2FS_SUPER_MAGIC, "f2fs", true},
    FileSystemRow{NFS_SUPER_MAGIC, "nfs", false},
    FileSystemRow{0x0BD00BD0, "lustre", false},
    FileSystemRow{0x47504653, "gpfs", false},
    FileSystemRow{0x19830326, "beegfs", false},
    FileSystemRow{0x00C36400, "ceph", false},
    FileSystemRow{OVERLAYFS_SUPER_MAGIC, "overlayfs", false},
    FileSystemRow{0x65735546, "fuse", false},
    FileSystemRow{0x2FC12FC1, "zfs", false},
};

Traits traits_of(int descriptor) {
  Traits traits;
  struct statfs info {};
  if (fstatfs(descriptor, &info) != 0) return traits;
  if (info.f_bsize > 0) traits.block_bytes = info.f_bsize;
  for (const FileSystemRow& row : kFileSystems)
    if (row.magic == static_cast<long>(info.f_type)) {
      traits.file_system = row.name;
      traits.visible_at_once = row.one_page_cache;
      traits.call_ns = row.call_ns;
      traits.store_page_ns = row.store_page_ns;
      traits.mappings_coherent = row.one_page_cache;
    }
  return traits;
}

int result_of(int returned) {
  return returned == 0 ? 0 : -errno;
}

class PosixStorage final : public Storage {
 public:
  PosixStorage(int descriptor, std::string path, bool readable, bool writable)
      : descriptor_(descriptor),
        path_(std::move(path)),
        readable_(readable),
        writable_(writable),
        traits_(traits_of(descriptor)) {
    traits_.mappings_coherent = traits_.mappings_coherent && readable && writable;
  }
  ~PosixStorage() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PosixStorage(const PosixStorage&) = delete;
  PosixStorage& operator=(const PosixStorage&) = delete;

  ssize_t read_some(FileOffset offset, std::span<const iovec> to) override {
    const ssize_t moved = to.size() == 1
                              ? pread(descriptor_, to[0].iov_base, to[0].iov_len, offset)
                              : preadv(descriptor_, to.data(), static_cast<int>(to.size()), offset);
    return moved < 0 ? -errno : moved;
  }
  ssize_t write_some(FileOffset offset, std::span<const iovec> from) override {
    const ssize_t moved =
        from.size() == 1 ? pwrite(descriptor_, from[0].iov_base, from[0].iov_len, offset)
                         : pwritev(descriptor_, from.data(), static_cast<int>(from.size()), offset);
    return moved < 0 ? -errno : moved;
  }
  // A file that cannot be synchronised (a pipe, a device) has nothing to lose.
  int sync() override {
    const int result = result_of(fdatasync(descriptor_));
    return result == -EINVAL || result == -EROFS ? 0 : result;
  }
  int resize(FileOffset size) override { return result_of(ftruncate(descriptor_, size)); }
  // posix_fallocate would write zeros where the file system cannot reserve: not atomic with
  // other writers, so plain fallocate decides.
  int reserve(Extent extent) override {
    return result_of(fallocate(descriptor_, 0, extent.offset, extent.length));
  }
  FileOffset size() override {
    struct stat info {};
    return fstat(descriptor_, &info) == 0 ? info.st_size : -errno;
  }
  int lock(Extent extent, LockMode mode, Wait wait) override {
    return set_lock(extent, mode == LockMode::shared ? F_RDLCK : F_WRLCK,
                    wait == Wait::yes ? F_OFD_SETLKW : F_OFD_SETLK);
  }
  int unlock(Extent extent) override { return set_lock(extent, F_UNLCK, F_OFD_SETLK); }
  Result<Mapping> map(Extent extent) override;
  int close() override {
    const int descriptor = std::exchange(descriptor_, -1);
    const int result = result_of(::close(descriptor));
    return result == -EINTR ? 0 : result;  // Linux has closed it all the same
  }

  const Traits& traits() const override { return traits_; }
  const std::string& path() const override { return path_; }
  bool readable() const override { return readable_; }

 private:
  // Open-file-description locks belong to this open, not to the process: two handles of one
  // process exclude each other, and closing one does not drop the other's locks.
  int set_lock(Extent extent, int type, int command) const {
    struct flock range {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = extent.offset;
    range.l_len = extent.length;
    return result_of(fcntl(descriptor_, command, &range));
  }

  int descriptor_;
  std::string path_;
  bool readable_;
  bool writable_;
  Traits traits_;
};

Result<Mapping> PosixStorage::map(Extent extent) {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const std::int64_t start = extent.offset / page * page;
  const auto length = static_cast<std::size_t>(extent.end() - start);
  const int protection = PROT_READ | (writable_ ? PROT_WRITE : 0);
  void* address = mmap(nullptr, length, protection, MAP_SHARED | MAP_POPULATE, descriptor_, start);
  if (address == MAP_FAILED) return errno_error("map", path_, errno);
  return Mapping(address, length, static_cast<std::byte*>(address) + (extent.offset - start));
}

// Writers need to read, too: for read-modify-write and for mappings. Where the permissions do
// not allow it, write-only it is.
int open_descriptor(const char* path, const OpenOptions& options, int extra, bool& readable) {
  const int flags = O_CLOEXEC | extra;
  readable = true;
  if (!options.write) return ::open(path, flags | O_RDONLY);
  const int descriptor = ::open(path, flags | O_RDWR, options.permissions);
  if (descriptor >= 0 || errno != EACCES || options.read) return descriptor;
  readable = false;
  return ::open(path, flags | O_WRONLY, options.permissions);
}

bool is_link(const char* path) {
  struct stat info {};
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// With create, O_EXCL is tried first: only so is it known who made the file, and a failed
// collective open must remove no file but its own. `created` is set where this call made it.
int open_or_create(const char* path, const OpenOptions& options, bool& readable, bool& created) {
  created = false;
  if (!options.create) return open_descriptor(path, options, 0, readable);
  for (;;) {
    int descriptor = open_descriptor(path, options, O_CREAT | O_EXCL, readable);
    created = descriptor >= 0;
    if (created || errno != EEXIST || options.exclusive) return descriptor;
    descriptor = open_descriptor(path, options, 0, readable);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    if (is_link(path)) break;  // else somebody removed it in between: again
  }
  // A dangling symbolic link "exists" and cannot be opened: create what it points to.
  const int descriptor = open_descriptor(path, options, O_CREAT, readable);
  created = descriptor >= 0;
  return descriptor;
}

// The name of what was created, behind a link.
std::string target_of(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  std::string target = resolved == nullptr ? path : resolved;
  std::free(resolved);
  return target;
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), length_(other.length_), data_(other.data_) {}

Mapping::~Mapping() {
  if (start_ != nullptr) munmap(start_, length_);
}

Result<Opened> open_posix(const std::string& path, const OpenOptions& options) {
  bool readable = false;
  bool created = false;
  int descriptor = -1;
  do {
    descriptor = open_or_create(path.c_str(), options, readable, created);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return errno_error(options.create ? "create" : "open", path, errno);
  struct stat info {};
  if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return errno_error("open", path, EISDIR);
  }
  Opened opened;
  opened.storage = std::make_unique<PosixStorage>(descriptor, path, readable, options.write);
  if (created) opened.created = is_link(path.c_str()) ? target_of(path) : path;
  return opened;
}

Status delete_posix(const std::string& path) {
  if (unlink(path.c_str()) == 0) return {};
  return errno_error("delete", path, errno);
}

}  // namespace tributary::storage
