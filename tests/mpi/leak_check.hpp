// Leak checking of MPI programs. The MPIs leak at start-up in plugins that they load and unload, so
// that afterwards nobody can say whose memory it was: allocations of MPI_Init are not looked at,
// and the check comes before MPI_Finalize unloads the rest. tests/support/leak.supp names what is
// left.
#pragma once

#include <mpi.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tributary::test {

inline void initialize_mpi(int& argc, char**& argv) {
#ifdef __SANITIZE_ADDRESS__
  __lsan_disable();
#endif
  MPI_Init(&argc, &argv);
#ifdef __SANITIZE_ADDRESS__
  __lsan_enable();
#endif
}

inline void finalize_mpi() {
#ifdef __SANITIZE_ADDRESS__
  __lsan_do_leak_check();  // ends the process if there are any
#endif
  MPI_Finalize();
}

}  // namespace tributary::test
