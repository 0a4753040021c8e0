// Error handlers of files. The MPI cannot call them for us, so their functions are kept here
// beside the real MPI_Errhandler that stands for each; a handler lives while a program or a
// file refers to it, which is why MPI_Errhandler_free is interposed.
#pragma once

#include <mpi.h>

#include "base/result.hpp"

namespace tributary::file {

using CHandler = MPI_File_errhandler_function;
using FortranHandler = void(MPI_Fint* file, MPI_Fint* code, ...);

// Both give an MPI error code, as the MPI's own function does.
int create_errhandler(CHandler* function, MPI_Errhandler* errhandler);
int create_errhandler(FortranHandler* function, MPI_Errhandler* errhandler);
int free_errhandler(MPI_Errhandler* errhandler);

// A file's reference to a handler; a file starts with the handler of MPI_FILE_NULL.
class HandlerRef {
 public:
  HandlerRef() = default;
  explicit HandlerRef(MPI_Errhandler errhandler);
  HandlerRef(const HandlerRef&) = delete;
  HandlerRef& operator=(const HandlerRef&) = delete;
  ~HandlerRef();

  // Fails for handlers that were not made for files.
  Status set(MPI_Errhandler errhandler);
  MPI_Errhandler value() const { return errhandler_; }
  // A new reference for the program.
  MPI_Errhandler get() const;
  // Calls it for an error on `handle`; `comm` is what MPI_ERRORS_ARE_FATAL ends. Gives the
  // code to return: a handler may have changed it.
  int call(MPI_File handle, int code, MPI_Comm comm) const;

 private:
  MPI_Errhandler errhandler_ = MPI_ERRORS_RETURN;
};

// The handler of MPI_FILE_NULL: for errors without a file, and the default of new files.
HandlerRef& null_handler();

}  // namespace tributary::file
