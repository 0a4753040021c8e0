/* A program under the counting tool: the tool sees each call once, the library gets each, and
 * calls that are not the tool's business do not reach it by the library's own inner calls.
 *
 * usage: counted_writes <file>, with the tool and the library preloaded in this order */
#include "expect_mpiio.h"

enum { WRITES = 5, VALUES = 16 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(argc == 2);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int (*counted)(void) = NULL;
  *(void**)&counted = dlsym(RTLD_DEFAULT, "counting_tool_writes");
  CHECK(counted != NULL);

  MPI_File file;
  CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  expect_mpiio(file);
  expect_mpiio_of_symbol("PMPI_File_write_at");

  int values[VALUES], back[VALUES];
  MPI_Offset block_bytes = sizeof values, first = rank * (WRITES + 1) * block_bytes;
  for (int block = 0; block <= WRITES; ++block) {
    for (int i = 0; i < VALUES; ++i) values[i] = rank * 10000 + block * 100 + i;
    MPI_Offset offset = first + block * block_bytes;
    int code =
        block < WRITES
            ? MPI_File_write_at(file, offset, values, VALUES, MPI_INT, MPI_STATUS_IGNORE)
            : MPI_File_write_at_all(file, offset, values, VALUES, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(code == MPI_SUCCESS);
  }
  CHECK(counted() == WRITES);

  for (int block = 0; block <= WRITES; ++block) {
    CHECK(MPI_File_read_at(file, first + block * block_bytes, back, VALUES, MPI_INT,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < VALUES; ++i) CHECK(back[i] == rank * 10000 + block * 100 + i);
  }
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
