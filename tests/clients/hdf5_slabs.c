/* Parallel HDF5: each dataset is written with another kind of selection, read back by whole
 * rows in another division of the work, and a third time by one process without MPI-IO (the
 * POSIX driver of HDF5).
 *
 * usage: hdf5_slabs write|read <file> */
#include <hdf5.h>

#include "expect_mpiio.h"

enum { ROWS_PER_RANK = 6, COLUMNS_PER_RANK = 10, MARGIN = 3 };

static int rank, ranks;
static hsize_t extent[2];

/* A selection of one rank in the file space: together the ranks cover every element once. */
typedef void (*select_function)(hid_t space);

static void select_rows(hid_t space) {
  hsize_t start[2] = {(hsize_t)rank * ROWS_PER_RANK, 0}, count[2] = {ROWS_PER_RANK, extent[1]};
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
}

static void select_interleaved_columns(hid_t space) {
  hsize_t start[2] = {0, (hsize_t)rank}, stride[2] = {1, (hsize_t)ranks};
  hsize_t count[2] = {extent[0], COLUMNS_PER_RANK};
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0);
}

static void select_pairs_of_columns(hid_t space) {
  hsize_t start[2] = {0, 2 * (hsize_t)rank}, stride[2] = {1, 2 * (hsize_t)ranks};
  hsize_t count[2] = {extent[0], COLUMNS_PER_RANK / 2}, block[2] = {1, 2};
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block) >= 0);
}

/* An irregular union: in each row, this rank's columns begin one rank further on. */
static void select_staircase(hid_t space) {
  for (hsize_t row = 0; row < extent[0]; ++row) {
    hsize_t place = (row + (hsize_t)rank) % (hsize_t)ranks;
    hsize_t start[2] = {row, place * COLUMNS_PER_RANK}, count[2] = {1, COLUMNS_PER_RANK};
    CHECK(H5Sselect_hyperslab(space, row == 0 ? H5S_SELECT_SET : H5S_SELECT_OR, start, NULL, count,
                              NULL) >= 0);
  }
}

typedef struct {
  const char* name;
  select_function select;
  H5FD_mpio_xfer_t transfer;
  int chunked;
  int margin; /* elements left free around the data in memory: memory has holes too */
} Dataset;

static const Dataset datasets[] = {
    {"rows, independent", select_rows, H5FD_MPIO_INDEPENDENT, 0, 0},
    {"rows, collective", select_rows, H5FD_MPIO_COLLECTIVE, 0, 0},
    {"interleaved columns, independent", select_interleaved_columns, H5FD_MPIO_INDEPENDENT, 0, 0},
    {"interleaved columns, collective", select_interleaved_columns, H5FD_MPIO_COLLECTIVE, 0, 0},
    {"pairs, holes in memory, independent", select_pairs_of_columns, H5FD_MPIO_INDEPENDENT, 0,
     MARGIN},
    {"pairs, holes in memory, collective", select_pairs_of_columns, H5FD_MPIO_COLLECTIVE, 0,
     MARGIN},
    {"staircase, collective", select_staircase, H5FD_MPIO_COLLECTIVE, 0, 0},
    {"chunked rows, independent", select_rows, H5FD_MPIO_INDEPENDENT, 1, 0},
    {"chunked staircase, collective", select_staircase, H5FD_MPIO_COLLECTIVE, 1, 0},
};
enum { DATASETS = sizeof datasets / sizeof datasets[0] };

static int value_at(int dataset, hsize_t row, hsize_t column) {
  return dataset * 1000000 + (int)(row * extent[1] + column);
}

/* HDF5 takes the elements of a selection row by row, whatever it was made of. */
static void fill(int dataset, hid_t file_space, int* values) {
  hsize_t place[2];
  size_t next = 0;
  for (place[0] = 0; place[0] < extent[0]; ++place[0]) {
    for (place[1] = 0; place[1] < extent[1]; ++place[1]) {
      if (H5Sselect_intersect_block(file_space, place, place) > 0)
        values[next++] = value_at(dataset, place[0], place[1]);
    }
  }
}

static hid_t transfer_property(H5FD_mpio_xfer_t transfer) {
  hid_t property = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(property, transfer) >= 0);
  return property;
}

static hid_t open_parallel(const char* path, int create) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  hid_t file = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                      : H5Fopen(path, H5F_ACC_RDONLY, access);
  CHECK(file >= 0);
  MPI_File* handle = NULL;
  CHECK(H5Fget_vfd_handle(file, access, (void**)&handle) >= 0);
  expect_mpiio(*handle);
  H5Pclose(access);
  return file;
}

static void write_dataset(hid_t file, int number) {
  const Dataset* dataset = &datasets[number];
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk[2] = {4, 7}; /* fits neither the rows nor the columns of a rank */
  if (dataset->chunked) CHECK(H5Pset_chunk(creation, 2, chunk) >= 0);
  hid_t file_space = H5Screate_simple(2, extent, NULL);
  hid_t set = H5Dcreate2(file, dataset->name, H5T_NATIVE_INT, file_space, H5P_DEFAULT, creation,
                         H5P_DEFAULT);
  CHECK(set >= 0);
  dataset->select(file_space);

  /* Memory: one long row; with a margin, every element is followed by unused ones. */
  hsize_t elements = (hsize_t)H5Sget_select_npoints(file_space);
  hsize_t spread = 1 + (hsize_t)dataset->margin, memory = elements * spread, start = 0;
  int *packed = calloc(elements, sizeof *packed), *values = calloc(memory, sizeof *values);
  fill(number, file_space, packed);
  for (hsize_t i = 0; i < elements; ++i) values[i * spread] = packed[i];
  hid_t memory_space = H5Screate_simple(1, &memory, NULL);
  CHECK(H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, &start, &spread, &elements, NULL) >= 0);

  hid_t transfer = transfer_property(dataset->transfer);
  CHECK(H5Dwrite(set, H5T_NATIVE_INT, memory_space, file_space, transfer, values) >= 0);
  free(values);
  free(packed);
  H5Pclose(transfer);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  H5Pclose(creation);
  CHECK(H5Dclose(set) >= 0);
}

/* Reads every `step`-th row from `first` on and compares. */
static void check_rows(hid_t file, int number, hid_t transfer, hsize_t first, hsize_t step) {
  hid_t set = H5Dopen2(file, datasets[number].name, H5P_DEFAULT);
  CHECK(set >= 0);
  hid_t file_space = H5Dget_space(set);
  hsize_t start[2] = {first, 0}, stride[2] = {step, 1};
  hsize_t count[2] = {(extent[0] - first + step - 1) / step, extent[1]};
  CHECK(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, stride, count, NULL) >= 0);
  hid_t memory_space = H5Screate_simple(2, count, NULL);
  int* values = calloc(count[0] * count[1], sizeof *values);
  CHECK(H5Dread(set, H5T_NATIVE_INT, memory_space, file_space, transfer, values) >= 0);
  for (hsize_t row = 0; row < count[0]; ++row)
    for (hsize_t column = 0; column < count[1]; ++column)
      CHECK(values[row * count[1] + column] == value_at(number, first + row * step, column));
  free(values);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  H5Dclose(set);
}

static void write_all(const char* path) {
  hid_t file = open_parallel(path, 1);
  for (int number = 0; number < DATASETS; ++number) write_dataset(file, number);
  CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  CHECK(H5Fclose(file) >= 0);
}

static void read_all(const char* path) {
  hid_t file = open_parallel(path, 0);
  hid_t collective = transfer_property(H5FD_MPIO_COLLECTIVE);
  hid_t independent = transfer_property(H5FD_MPIO_INDEPENDENT);
  for (int number = 0; number < DATASETS; ++number) {
    check_rows(file, number, collective, (hsize_t)rank, (hsize_t)ranks);
    check_rows(file, number, independent, 0, 1);
  }
  H5Pclose(independent);
  H5Pclose(collective);
  CHECK(H5Fclose(file) >= 0);

  if (rank == 0) { /* the same through POSIX alone */
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    for (int number = 0; number < DATASETS; ++number) check_rows(file, number, H5P_DEFAULT, 0, 1);
    CHECK(H5Fclose(file) >= 0);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 3);
  extent[0] = (hsize_t)ranks * ROWS_PER_RANK;
  extent[1] = (hsize_t)ranks * COLUMNS_PER_RANK;
  if (strcmp(argv[1], "write") == 0)
    write_all(argv[2]);
  else
    read_all(argv[2]);
  MPI_Finalize();
  return 0;
}
