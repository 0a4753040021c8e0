// MPI_Info objects as settings of hints, and back.
#pragma once

#include <mpi.h>

#include <vector>

#include "hints/sources.hpp"

namespace tributary::file {

std::vector<hints::Setting> settings_of(MPI_Info info);
MPI_Info info_of(const hints::Values& values);

}  // namespace tributary::file
