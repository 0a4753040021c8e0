// Clean-up when the MPI ends.
#pragma once

namespace tributary::file {

// From the first open on: when MPI_Finalize runs, what the library keeps is let go.
void end_with_mpi();

}  // namespace tributary::file
