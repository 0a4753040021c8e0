// Error handlers and error sentences, and the functions of MPI that must be interposed for
// them; and MPI_Init, so that programs which name no other symbol of ours stay linked to us.
#include <algorithm>
#include <cstring>
#include <string>

#include "api/entry.hpp"
#include "api/fortran.hpp"
#include "file/last_error.hpp"
#include "mpi/export.hpp"
#include "mpi/next_symbol.hpp"

using tributary::Status;
using tributary::api::null_argument;
using tributary::api::with_file;
using tributary::api::without_file;
using tributary::file::File;
using tributary::file::HandlerRef;
namespace file = tributary::file;
namespace mpi = tributary::mpi;

namespace {

// body(HandlerRef&): Status, on the handler of a file or of MPI_FILE_NULL
template <typename Body>
int with_handler(MPI_File fh, Body body) {
  if (fh == MPI_FILE_NULL) return without_file([&] { return body(file::null_handler()); });
  return with_file(fh, [&](File& opened) { return body(opened.handler()); });
}

int error_string(const char* name, int errorcode, char* string, int* resultlen) {
  const std::string sentence = file::last_sentence(errorcode);
  if (sentence.empty() || string == nullptr || resultlen == nullptr)
    return mpi::next<decltype(MPI_Error_string)>(name)(errorcode, string, resultlen);
  const std::size_t length = std::min<std::size_t>(sentence.size(), MPI_MAX_ERROR_STRING - 1);
  sentence.copy(string, length);
  string[length] = '\0';
  *resultlen = static_cast<int>(length);
  return MPI_SUCCESS;
}

int init(const char* name, int* argc, char*** argv) {
  mpi::refuse_foreign_mpi();
  return mpi::next<decltype(MPI_Init)>(name)(argc, argv);
}

int init_thread(const char* name, int* argc, char*** argv, int required, int* provided) {
  mpi::refuse_foreign_mpi();
  return mpi::next<decltype(MPI_Init_thread)>(name)(argc, argv, required, provided);
}

}  // namespace

extern "C" {

TRIBUTARY_API int MPI_File_create_errhandler(MPI_File_errhandler_function* function,
                                             MPI_Errhandler* errhandler) {
  if (function == nullptr || errhandler == nullptr)
    return without_file([]() -> Status { return null_argument(); });
  return file::create_errhandler(function, errhandler);
}
TRIBUTARY_PROFILED(MPI_File_create_errhandler);

TRIBUTARY_API int MPI_File_set_errhandler(MPI_File fh, MPI_Errhandler errhandler) {
  return with_handler(fh, [&](HandlerRef& handler) { return handler.set(errhandler); });
}
TRIBUTARY_PROFILED(MPI_File_set_errhandler);

TRIBUTARY_API int MPI_File_get_errhandler(MPI_File fh, MPI_Errhandler* errhandler) {
  return with_handler(fh, [&](HandlerRef& handler) -> Status {
    if (errhandler == nullptr) return null_argument();
    *errhandler = handler.get();
    return {};
  });
}
TRIBUTARY_PROFILED(MPI_File_get_errhandler);

TRIBUTARY_API int MPI_File_call_errhandler(MPI_File fh, int errorcode) {
  return with_handler(fh, [&](HandlerRef& handler) -> Status {
    handler.call(fh, errorcode, MPI_COMM_WORLD);
    return {};
  });
}
TRIBUTARY_PROFILED(MPI_File_call_errhandler);

TRIBUTARY_API int MPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return file::free_errhandler(errhandler);
}
TRIBUTARY_PROFILED(MPI_Errhandler_free);

// Names that lead back to the MPI are looked up under the name by which we were called, so
// that a tool behind us is not passed by.
TRIBUTARY_API int MPI_Error_string(int errorcode, char* string, int* resultlen) {
  return error_string("MPI_Error_string", errorcode, string, resultlen);
}
TRIBUTARY_API int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  return error_string("PMPI_Error_string", errorcode, string, resultlen);
}

TRIBUTARY_API int MPI_Init(int* argc, char*** argv) {
  return init("MPI_Init", argc, argv);
}
TRIBUTARY_API int PMPI_Init(int* argc, char*** argv) {
  return init("PMPI_Init", argc, argv);
}

TRIBUTARY_API int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return init_thread("MPI_Init_thread", argc, argv, required, provided);
}
TRIBUTARY_API int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return init_thread("PMPI_Init_thread", argc, argv, required, provided);
}
}

namespace tributary::api {

void create_fortran_errhandler(FortranFileHandler* function, MPI_Fint* errhandler,
                               MPI_Fint* error) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int code = file::create_errhandler(function, &made);
  if (code == MPI_SUCCESS) *errhandler = PMPI_Errhandler_c2f(made);
  if (error != nullptr) *error = code;
}

void forward_init(const char* name, MPI_Fint* error) {
  mpi::refuse_foreign_mpi();
  mpi::next<void(MPI_Fint*)>(name)(error);
}

void forward_init_thread(const char* name, MPI_Fint* required, MPI_Fint* provided,
                         MPI_Fint* error) {
  mpi::refuse_foreign_mpi();
  mpi::next<void(MPI_Fint*, MPI_Fint*, MPI_Fint*)>(name)(required, provided, error);
}

}  // namespace tributary::api
