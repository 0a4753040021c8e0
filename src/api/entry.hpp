// What every entry point does: find the file, keep exceptions inside, turn an error into an
// MPI error code and call the file's error handler.
#pragma once

#include <mpi.h>

#include <new>

#include "base/result.hpp"
#include "file/file.hpp"
#include "file/handle.hpp"

namespace tributary::api {

// Calls the handler of `file` (of MPI_FILE_NULL without one) and gives the error code.
int raise(MPI_File handle, file::File* file, const Error& error);

inline int finish(MPI_File handle, file::File* file, const Status& status) {
  return status.ok() ? MPI_SUCCESS : raise(handle, file, status.error());
}

Error no_memory();
Error bad_handle();
Error null_argument();

// body(): Status, for calls without a file handle
template <typename Body>
int without_file(Body body) noexcept {
  try {
    return finish(MPI_FILE_NULL, nullptr, body());
  } catch (const std::bad_alloc&) {
    return raise(MPI_FILE_NULL, nullptr, no_memory());
  }
}

// body(File&): Status
template <typename Body>
int with_file(MPI_File handle, Body body) noexcept {
  file::File* file = file::find_file(handle);
  if (file == nullptr) return without_file([]() -> Status { return bad_handle(); });
  try {
    return finish(handle, file, body(*file));
  } catch (const std::bad_alloc&) {
    return raise(handle, file, no_memory());
  }
}

// body(File&): Result<T>, stored through `out`
template <typename T, typename Body>
int fetch(MPI_File handle, T* out, Body body) noexcept {
  return with_file(handle, [&](file::File& file) -> Status {
    if (out == nullptr) return null_argument();
    auto result = body(file);
    if (!result) return result.error();
    *out = static_cast<T>(*result);
    return {};
  });
}

}  // namespace tributary::api
