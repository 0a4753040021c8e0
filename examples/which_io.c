/* Says which MPI-IO implementation a program gets: opens a file and prints what the implementation
 * says of itself through the hints that are in effect.
 *
 *   mpicc which_io.c -o which_io
 *   mpirun -n 1 ./which_io FILE      (FILE is made, and removed at the end) */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL + 1] = "unknown";
  int rank, found = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2 || MPI_File_open(MPI_COMM_WORLD, argv[1],
                                 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                 MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    fprintf(stderr, "which_io: cannot open %s\n", argc == 2 ? argv[1] : "(usage: which_io FILE)");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_File_get_info(file, &info);
  if (info != MPI_INFO_NULL) {
    MPI_Info_get(info, "romio_filesystem_type", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
  }
  MPI_File_close(&file);
  if (rank == 0) printf("%s\n", value);
  MPI_Finalize();
  return 0;
}
