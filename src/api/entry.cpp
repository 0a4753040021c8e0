#include "api/entry.hpp"

#include <string>

#include "base/errno_error.hpp"
#include "file/last_error.hpp"

namespace tributary::api {

namespace {

// Every sentence names the file, whatever it was that failed.
Error named(Error error, const file::File* file) {
  if (file == nullptr) return error;
  const std::string name = quoted_path(file->path());
  if (error.message.find(name) == std::string::npos)
    error.message = "file " + name + ": " + error.message;
  return error;
}

}  // namespace

int raise(MPI_File handle, file::File* file, const Error& error) {
  const int code = file::remember(named(error, file));
  const file::HandlerRef& handler = file == nullptr ? file::null_handler() : file->handler();
  return handler.call(handle, code, file == nullptr ? MPI_COMM_WORLD : file->team().comm());
}

Error no_memory() {
  return {ErrorKind::no_memory, "there is not enough memory"};
}

Error bad_handle() {
  return {ErrorKind::file_handle, "the file handle is null, closed or was never one"};
}

Error null_argument() {
  return {ErrorKind::argument, "an output argument is null"};
}

}  // namespace tributary::api
