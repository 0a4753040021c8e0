/* Every client proves which MPI-IO served it, so that no test passes with the wrong one: the
 * environment variable EXPECT_MPIIO says `tributary` or `stock` (run_client.sh sets it), and
 * both what the file says of itself and where the symbols come from must fit. */
#ifndef TRIBUTARY_TESTS_EXPECT_MPIIO_H
#define TRIBUTARY_TESTS_EXPECT_MPIIO_H

#include <dlfcn.h> /* needs _GNU_SOURCE on the command line */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      fprintf(stderr, "FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                        \
    }                                                                      \
  } while (0)

static int expects_tributary(void) {
  const char* expected = getenv("EXPECT_MPIIO");
  CHECK(expected != NULL);
  return strcmp(expected, "tributary") == 0;
}

/* `info` is what MPI_File_get_info said, or a library on top of it passed on. */
static void expect_mpiio_of_info(MPI_Info info) {
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(info, "romio_filesystem_type", MPI_MAX_INFO_VAL, value, &found);
  CHECK((strncmp(value, "TRIBUTARY", 9) == 0) == expects_tributary());
}

/* The symbol is looked up by name, as the dynamic linker does for the client library. */
static void expect_mpiio_of_symbol(const char* name) {
  Dl_info where;
  void* symbol = dlsym(RTLD_DEFAULT, name);
  CHECK(symbol != NULL && dladdr(symbol, &where) != 0);
  CHECK((strstr(where.dli_fname, "libtributary_") != NULL) == expects_tributary());
}

static void expect_mpiio(MPI_File file) {
  MPI_Info info;
  CHECK(MPI_File_get_info(file, &info) == MPI_SUCCESS);
  expect_mpiio_of_info(info);
  MPI_Info_free(&info);
  expect_mpiio_of_symbol("MPI_File_open");
  expect_mpiio_of_symbol("PMPI_File_open");
}

#endif
