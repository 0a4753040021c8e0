// Fortran entry points that must be ours because the MPIs' own wrappers would pass by us
// (docs/decisions/0003-fortran.md). The names differ by MPI and are given in its file.
#pragma once

#include <mpi.h>

#include "mpi/export.hpp"

namespace tributary::api {

// A Fortran error handler: file handle and code by reference.
using FortranFileHandler = void(MPI_Fint* file, MPI_Fint* code, ...);

void create_fortran_errhandler(FortranFileHandler* function, MPI_Fint* errhandler, MPI_Fint* error);

// Calls the MPI's own Fortran routine of that name.
void forward_init(const char* name, MPI_Fint* error);
void forward_init_thread(const char* name, MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error);

}  // namespace tributary::api

#define TRIBUTARY_FORTRAN_INIT(name)                    \
  extern "C" TRIBUTARY_API void name(MPI_Fint* error) { \
    tributary::api::forward_init(#name, error);         \
  }

#define TRIBUTARY_FORTRAN_INIT_THREAD(name)                                                     \
  extern "C" TRIBUTARY_API void name(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) { \
    tributary::api::forward_init_thread(#name, required, provided, error);                      \
  }

#define TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(name)                                  \
  extern "C" TRIBUTARY_API void name(tributary::api::FortranFileHandler* function, \
                                     MPI_Fint* errhandler, MPI_Fint* error) {      \
    tributary::api::create_fortran_errhandler(function, errhandler, error);        \
  }

// The manglings that compilers use, for programs that are built before the MPI is chosen.
#define TRIBUTARY_FORTRAN_MANGLINGS(define, lower, upper) \
  define(lower) define(lower##_) define(lower##__) define(upper)
