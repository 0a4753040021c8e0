/* The smallest client: opens a file and fails unless the expected MPI-IO serves it.
 *
 * usage: whose_mpiio <file> */
#include "expect_mpiio.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(argc == 2);
  MPI_File file;
  CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  expect_mpiio(file);
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
