#include "api/entry.hpp"

#include "file/last_error.hpp"

namespace tributary::api {

int raise(MPI_File handle, file::File* file, const Error& error) {
  const int code = file::remember(error);
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
