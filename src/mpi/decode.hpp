// Any MPI datatype -> its canonical tree (view/tree.hpp). Decoded once and kept: as an
// attribute of a derived datatype, in a table for the predefined ones.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "view/tree.hpp"

namespace tributary::mpi {

// What is given lives as long as the datatype. Fails for MPI_DATATYPE_NULL and for types whose
// data reach beyond kOffsetLimit.
Result<const view::Type*> decode(MPI_Datatype type);

bool is_named(MPI_Datatype type);

// Forgets the table of predefined types and the attribute key; called when the MPI ends.
void release_decoded();

}  // namespace tributary::mpi
