// The one list of what this version does not do yet; see later.cpp.
#pragma once

#include <mpi.h>

namespace tributary::api {

// Fails with MPI_ERR_UNSUPPORTED_OPERATION through the handler of MPI_FILE_NULL.
int unsupported(const char* name);

}  // namespace tributary::api
