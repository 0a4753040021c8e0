// MPI_Info objects as settings of hints, and back.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "hints/sources.hpp"

namespace tributary::file {

std::vector<hints::Setting> settings_of(MPI_Info info);
MPI_Info info_of(const hints::Values& values);

// The hints to which this rank's program or environment gave another value than rank 0's: a 1
// for each, in the order of the table.
std::vector<std::int64_t> mark_differing(const hints::Values& mine, const hints::Values& root);
// For rank 0, with the marks of all ranks.
void warn_of_differing(const std::vector<std::int64_t>& marks);

}  // namespace tributary::file
