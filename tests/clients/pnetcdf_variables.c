/* PnetCDF: one variable for each way of writing: collective and independent, contiguous,
 * strided in the file (vars), mapped in memory (varm, here a transposition), a derived type in
 * memory (flexible interface), pending requests completed together (iput), record variables.
 *
 * usage: pnetcdf_variables write|read <file> */
#include <pnetcdf.h>

#include "expect_mpiio.h"

#define NC(call) CHECK((call) == NC_NOERR)

enum { ROWS = 4, WIDTH = 8, RECORDS = 3 }; /* of each rank: ROWS rows of WIDTH elements */
enum { COLLECTIVE, INDEPENDENT, STRIDED, MAPPED, TYPED, PENDING, RECORD, VARIABLES };
static const char* const names[VARIABLES] = {"collective", "independent", "strided", "mapped",
                                             "typed",      "pending",     "record"};
static int rank, ranks;

static int value_at(int variable, MPI_Offset row, MPI_Offset column) {
  return variable * 100000 + (int)row * 1000 + (int)column;
}

static void check_info(int file) {
  MPI_Info info;
  NC(ncmpi_inq_file_info(file, &info));
  expect_mpiio_of_info(info);
  MPI_Info_free(&info);
  expect_mpiio_of_symbol("MPI_File_open");
}

/* This rank's rows, as they stand in the file. */
static void fill(int variable, MPI_Offset first_row, int values[ROWS][WIDTH]) {
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < WIDTH; ++column)
      values[row][column] = value_at(variable, first_row + row, column);
}

static void write_strided(int file, int variable) {
  /* Rank r has rows r, r + ranks, ...: a stride in the file. */
  MPI_Offset start[2] = {rank, 0}, count[2] = {ROWS, WIDTH}, stride[2] = {ranks, 1};
  int values[ROWS][WIDTH];
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < WIDTH; ++column)
      values[row][column] = value_at(STRIDED, rank + row * ranks, column);
  NC(ncmpi_put_vars_int_all(file, variable, start, count, stride, &values[0][0]));
}

static void write_mapped(int file, int variable, const MPI_Offset* start, const MPI_Offset* count) {
  MPI_Offset map[2] = {1, ROWS}; /* column by column in memory */
  int values[WIDTH][ROWS];
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < WIDTH; ++column)
      values[column][row] = value_at(MAPPED, start[0] + row, column);
  NC(ncmpi_put_varm_int_all(file, variable, start, count, NULL, map, &values[0][0]));
}

static void write_typed(int file, int variable, const MPI_Offset* start, const MPI_Offset* count) {
  enum { GHOST = 2, PADDED = WIDTH + 2 * GHOST };
  int values[ROWS][PADDED];
  memset(values, -1, sizeof values);
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < WIDTH; ++column)
      values[row][GHOST + column] = value_at(TYPED, start[0] + row, column);
  int sizes[2] = {ROWS, PADDED}, parts[2] = {ROWS, WIDTH}, starts[2] = {0, GHOST};
  MPI_Datatype inner;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &inner);
  MPI_Type_commit(&inner);
  NC(ncmpi_put_vara_all(file, variable, start, count, values, 1, inner));
  MPI_Type_free(&inner);
}

static void write_pending(int file, int variable, const MPI_Offset* start) {
  int values[ROWS][WIDTH], requests[ROWS], statuses[ROWS];
  fill(PENDING, start[0], values);
  for (int row = 0; row < ROWS; ++row) { /* posted backwards: the library must sort them */
    MPI_Offset from[2] = {start[0] + ROWS - 1 - row, 0}, count[2] = {1, WIDTH};
    NC(ncmpi_iput_vara_int(file, variable, from, count, values[ROWS - 1 - row], &requests[row]));
  }
  NC(ncmpi_wait_all(file, ROWS, requests, statuses));
  for (int row = 0; row < ROWS; ++row) NC(statuses[row]);
}

/* Records of one row: rank r owns columns r * WIDTH on, so a rank's data lie apart in the file. */
static void write_records(int file, int variable) {
  MPI_Offset start[2] = {0, (MPI_Offset)rank * WIDTH}, count[2] = {RECORDS, WIDTH};
  int values[RECORDS][WIDTH];
  for (int record = 0; record < RECORDS; ++record)
    for (int column = 0; column < WIDTH; ++column)
      values[record][column] = value_at(RECORD, record, start[1] + column);
  NC(ncmpi_put_vara_int_all(file, variable, start, count, &values[0][0]));
}

static void define(int file, int* variables) {
  int row_dimension, column_dimension, record_dimension, wide_dimension;
  NC(ncmpi_def_dim(file, "row", (MPI_Offset)ranks * ROWS, &row_dimension));
  NC(ncmpi_def_dim(file, "column", WIDTH, &column_dimension));
  NC(ncmpi_def_dim(file, "record", NC_UNLIMITED, &record_dimension));
  NC(ncmpi_def_dim(file, "wide", (MPI_Offset)ranks * WIDTH, &wide_dimension));
  int plain[2] = {row_dimension, column_dimension}, record[2] = {record_dimension, wide_dimension};
  for (int variable = 0; variable < VARIABLES; ++variable)
    NC(ncmpi_def_var(file, names[variable], NC_INT, 2, variable == RECORD ? record : plain,
                     &variables[variable]));
  NC(ncmpi_put_att_text(file, NC_GLOBAL, "title", 9, "tributary"));
  NC(ncmpi_enddef(file));
}

static void write_all(const char* path) {
  int file, variables[VARIABLES], values[ROWS][WIDTH];
  NC(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  define(file, variables);
  check_info(file);

  MPI_Offset start[2] = {(MPI_Offset)rank * ROWS, 0}, count[2] = {ROWS, WIDTH};
  fill(COLLECTIVE, start[0], values);
  NC(ncmpi_put_vara_int_all(file, variables[COLLECTIVE], start, count, &values[0][0]));
  NC(ncmpi_begin_indep_data(file));
  fill(INDEPENDENT, start[0], values);
  NC(ncmpi_put_vara_int(file, variables[INDEPENDENT], start, count, &values[0][0]));
  NC(ncmpi_end_indep_data(file));
  write_strided(file, variables[STRIDED]);
  write_mapped(file, variables[MAPPED], start, count);
  write_typed(file, variables[TYPED], start, count);
  write_pending(file, variables[PENDING], start);
  write_records(file, variables[RECORD]);
  NC(ncmpi_close(file));
}

/* Each rank reads the columns of another slice of the whole variable, then all of it. */
static void check_variable(int file, int number) {
  int variable;
  NC(ncmpi_inq_varid(file, names[number], &variable));
  MPI_Offset rows = number == RECORD ? RECORDS : (MPI_Offset)ranks * ROWS;
  MPI_Offset width = number == RECORD ? (MPI_Offset)ranks * WIDTH : WIDTH;
  MPI_Offset whole_start[2] = {0, 0}, whole[2] = {rows, width};
  MPI_Offset start[2] = {0, rank % 2}, count[2] = {rows, width / 2}, stride[2] = {1, 2};
  int* values = calloc((size_t)(rows * width), sizeof *values);

  NC(ncmpi_get_vars_int_all(file, variable, start, count, stride, values));
  for (MPI_Offset i = 0; i < rows * (width / 2); ++i)
    CHECK(values[i] == value_at(number, i / (width / 2), start[1] + 2 * (i % (width / 2))));
  NC(ncmpi_begin_indep_data(file));
  NC(ncmpi_get_vara_int(file, variable, whole_start, whole, values));
  NC(ncmpi_end_indep_data(file));
  for (MPI_Offset i = 0; i < rows * width; ++i)
    CHECK(values[i] == value_at(number, i / width, i % width));
  free(values);
}

static void read_all(const char* path) {
  int file;
  char title[10] = "";
  NC(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  check_info(file);
  NC(ncmpi_get_att_text(file, NC_GLOBAL, "title", title));
  CHECK(strcmp(title, "tributary") == 0);
  for (int number = 0; number < VARIABLES; ++number) check_variable(file, number);
  NC(ncmpi_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 3);
  if (strcmp(argv[1], "write") == 0)
    write_all(argv[2]);
  else
    read_all(argv[2]);
  MPI_Finalize();
  return 0;
}
