#include "file/finalize.hpp"

#include <mpi.h>

#include <mutex>

#include "execute/scratch.hpp"
#include "execute/worker.hpp"
#include "file/handle.hpp"
#include "mpi/decode.hpp"

namespace tributary::file {
namespace {

// Attributes of MPI_COMM_SELF are deleted first thing in MPI_Finalize.
int at_finalize(MPI_Comm, int, void*, void*) {
  drop_open_files();
  execute::Worker::stop();
  mpi::release_decoded();
  execute::Scratch::release_all();
  return MPI_SUCCESS;
}

}  // namespace

void end_with_mpi() {
  static std::once_flag once;
  std::call_once(once, [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    PMPI_Comm_free_keyval(&key);
  });
}

}  // namespace tributary::file
