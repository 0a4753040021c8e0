#include "file/last_error.hpp"

#include <mpi.h>

#include <array>

#include "mpi/next_symbol.hpp"

namespace tributary::file {
namespace {

struct Row {
  ErrorKind kind;
  int error_class;
};

constexpr std::array kTable{
    Row{ErrorKind::none, MPI_SUCCESS},
    Row{ErrorKind::access, MPI_ERR_ACCESS},
    Row{ErrorKind::amode, MPI_ERR_AMODE},
    Row{ErrorKind::argument, MPI_ERR_ARG},
    Row{ErrorKind::bad_file, MPI_ERR_BAD_FILE},
    Row{ErrorKind::buffer, MPI_ERR_BUFFER},
    Row{ErrorKind::comm, MPI_ERR_COMM},
    Row{ErrorKind::count, MPI_ERR_COUNT},
    Row{ErrorKind::file_exists, MPI_ERR_FILE_EXISTS},
    Row{ErrorKind::file_handle, MPI_ERR_FILE},
    Row{ErrorKind::file_in_use, MPI_ERR_FILE_IN_USE},
    Row{ErrorKind::info, MPI_ERR_INFO},
    Row{ErrorKind::io, MPI_ERR_IO},
    Row{ErrorKind::no_memory, MPI_ERR_NO_MEM},
    Row{ErrorKind::no_space, MPI_ERR_NO_SPACE},
    Row{ErrorKind::no_such_file, MPI_ERR_NO_SUCH_FILE},
    Row{ErrorKind::not_same, MPI_ERR_NOT_SAME},
    Row{ErrorKind::quota, MPI_ERR_QUOTA},
    Row{ErrorKind::read_only, MPI_ERR_READ_ONLY},
    Row{ErrorKind::type, MPI_ERR_TYPE},
    Row{ErrorKind::unsupported_datarep, MPI_ERR_UNSUPPORTED_DATAREP},
    Row{ErrorKind::unsupported_operation, MPI_ERR_UNSUPPORTED_OPERATION},
};
static_assert(kTable.size() == static_cast<std::size_t>(ErrorKind::last) + 1);

// One sentence for each kind: a program may look up an older code after a newer error.
thread_local std::array<std::string, kTable.size()> sentences;

}  // namespace

int error_class(ErrorKind kind) {
  return kTable[static_cast<std::size_t>(kind)].error_class;
}

int remember(const Error& error) {
  sentences[static_cast<std::size_t>(error.kind)] = error.message;
  return error_class(error.kind);
}

std::string last_sentence(int code) {
  for (const Row& row : kTable)
    if (row.error_class == code && code != MPI_SUCCESS)
      return sentences[static_cast<std::size_t>(row.kind)];
  return {};
}

std::string sentence_of(int code) {
  std::string sentence = last_sentence(code);
  if (!sentence.empty()) return sentence;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  mpi::next<decltype(MPI_Error_string)>("PMPI_Error_string")(code, text, &length);
  return text;
}

}  // namespace tributary::file
