#include "base/errno_error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace tributary {
namespace {

struct Row {
  int error_number;
  ErrorKind kind;
};

constexpr std::array kTable{
    Row{EACCES, ErrorKind::access},
    Row{EPERM, ErrorKind::access},
    Row{EROFS, ErrorKind::read_only},
    Row{EEXIST, ErrorKind::file_exists},
    Row{ENOENT, ErrorKind::no_such_file},
    Row{ENOTDIR, ErrorKind::bad_file},
    Row{EISDIR, ErrorKind::bad_file},
    Row{ENAMETOOLONG, ErrorKind::bad_file},
    Row{ELOOP, ErrorKind::bad_file},
    Row{ENXIO, ErrorKind::bad_file},
    Row{EBUSY, ErrorKind::file_in_use},
    Row{ETXTBSY, ErrorKind::file_in_use},
    Row{ENOSPC, ErrorKind::no_space},
    Row{EDQUOT, ErrorKind::quota},
    Row{ENOMEM, ErrorKind::no_memory},
    Row{EOPNOTSUPP, ErrorKind::unsupported_operation},
    Row{ENOSYS, ErrorKind::unsupported_operation},
    Row{ENOLCK, ErrorKind::unsupported_operation},
};

// strerror_r comes in two forms; overloads pick the one this C library has.
const char* text_of(const char* text, const char* /*buffer*/) {
  return text;
}
[[maybe_unused]] const char* text_of(int failed, const char* buffer) {
  return failed == 0 ? buffer : "unknown error";
}

}  // namespace

ErrorKind error_kind_of_errno(int error_number) {
  for (const Row& row : kTable)
    if (row.error_number == error_number) return row.kind;
  return ErrorKind::io;
}

std::string quoted_path(std::string_view path) {
  constexpr std::size_t kLongest = 150;
  std::string quoted = "'";
  if (path.size() > kLongest) {
    quoted.append("...");
    path.remove_prefix(path.size() - kLongest);
  }
  quoted.append(path).append("'");
  return quoted;
}

Error errno_error(std::string_view action, std::string_view path, int error_number) {
  char buffer[128] = {};
  std::string message = "cannot ";
  message.append(action).append(" ").append(quoted_path(path)).append(": ");
  message.append(text_of(strerror_r(error_number, buffer, sizeof buffer), buffer));
  return {error_kind_of_errno(error_number), std::move(message)};
}

}  // namespace tributary
