/* A profiling tool of the classic kind: preloaded in front of everything, it counts a call and
 * passes it on under the PMPI_ name. */
#include <mpi.h>

static int writes;

int counting_tool_writes(void);
int counting_tool_writes(void) {
  return writes;
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* buffer, int count,
                      MPI_Datatype type, MPI_Status* status) {
  ++writes;
  return PMPI_File_write_at(file, offset, buffer, count, type, status);
}
