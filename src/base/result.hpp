// Result<T>: a value or an Error. Nothing in the library throws on purpose; api/ turns an
// Error into an MPI error class and calls the file's error handler (docs/architecture.md,
// rule 7). The kinds mirror the MPI error classes one to one, without mpi.h, so that the
// folders below api/ can speak of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tributary {

enum class ErrorKind {
  none,
  access,
  amode,
  argument,
  bad_file,
  buffer,
  comm,
  count,
  file_exists,
  file_handle,
  file_in_use,
  info,
  io,
  no_memory,
  no_space,
  no_such_file,
  not_same,
  quota,
  read_only,
  type,
  unsupported_datarep,
  unsupported_operation,
  last = unsupported_operation,
};

struct Error {
  ErrorKind kind = ErrorKind::io;
  std::string message;  // one sentence for a person: which file, what failed, why
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }
  Error& error() { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }
  Error& error() { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace tributary
