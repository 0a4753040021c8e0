/* A 2-D field, cut into one tile for each rank, as a simulation keeps it: a cell holds one or more
 * quantities (doubles) and tiles have a rim of ghost cells. Each checkpoint is a file that holds,
 * for one quantity after the other, the whole field in row order. All checkpoints are written with
 * MPI-IO, then read back and verified.
 *
 *   mpicc tiles.c -o tiles
 *   mpirun -n 4 ./tiles [--size N] [--quantities N] [--checkpoints N] [--independent] [--new]
 *                       [--file PREFIX]
 *
 * The program knows nothing of any particular MPI-IO implementation. A checkpoint is written over
 * an older one where there is one, as a run that keeps the last few does; --new removes it first.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  int size; /* the field has size x size cells */
  int quantities;
  int checkpoints;
  int independent;
  int new_files;
  const char* prefix;
};

struct tile {
  int rank;
  int rows, columns;           /* of the tile, without ghost cells */
  int first_row, first_column; /* in the field */
  int quantities;
  double* cells; /* all quantities of a cell together; one ghost cell on every side */
  MPI_Datatype in_memory, in_file;
};

static void check(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "tiles: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double value_at(int checkpoint, int quantity, int row, int column) {
  return (checkpoint * 64 + quantity) * 1e9 + row * 1e4 + column;
}

static double* cell(const struct tile* tile, int row, int column) {
  const size_t index = (size_t)(row + 1) * (size_t)(tile->columns + 2) + (size_t)(column + 1);
  return tile->cells + index * (size_t)tile->quantities;
}

static struct tile make_tile(int size, int quantities) {
  struct tile tile;
  int ranks, grid[2] = {0, 0};
  tile.quantities = quantities;
  MPI_Comm_rank(MPI_COMM_WORLD, &tile.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, grid);

  /* grid[0] tiles across, grid[1] down; the last take what does not divide evenly. */
  const int down = tile.rank / grid[0], across = tile.rank % grid[0];
  tile.first_row = size / grid[1] * down;
  tile.first_column = size / grid[0] * across;
  tile.rows = (down == grid[1] - 1 ? size : size / grid[1] * (down + 1)) - tile.first_row;
  tile.columns = (across == grid[0] - 1 ? size : size / grid[0] * (across + 1)) - tile.first_column;
  tile.cells = calloc((size_t)(tile.rows + 2) * (size_t)(tile.columns + 2) * (size_t)quantities,
                      sizeof(double));
  if (tile.cells == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  /* One quantity of the tile's own cells in memory; the tile in the field in the file. */
  const int stored[3] = {tile.rows + 2, tile.columns + 2, quantities}, first_own[3] = {1, 1, 0};
  const int one[3] = {tile.rows, tile.columns, 1};
  const int field[2] = {size, size}, first[2] = {tile.first_row, tile.first_column};
  MPI_Type_create_subarray(3, stored, one, first_own, MPI_ORDER_C, MPI_DOUBLE, &tile.in_memory);
  MPI_Type_create_subarray(2, field, one, first, MPI_ORDER_C, MPI_DOUBLE, &tile.in_file);
  MPI_Type_commit(&tile.in_memory);
  MPI_Type_commit(&tile.in_file);
  return tile;
}

static void free_tile(struct tile* tile) {
  MPI_Type_free(&tile->in_memory);
  MPI_Type_free(&tile->in_file);
  free(tile->cells);
}

static void compute(struct tile* tile, int checkpoint) {
  for (int row = 0; row < tile->rows; ++row)
    for (int column = 0; column < tile->columns; ++column)
      for (int q = 0; q < tile->quantities; ++q)
        cell(tile, row, column)[q] =
            value_at(checkpoint, q, tile->first_row + row, tile->first_column + column);
}

static long count_wrong(const struct tile* tile, int checkpoint) {
  long wrong = 0;
  for (int row = 0; row < tile->rows; ++row)
    for (int column = 0; column < tile->columns; ++column)
      for (int q = 0; q < tile->quantities; ++q)
        wrong += cell(tile, row, column)[q] !=
                 value_at(checkpoint, q, tile->first_row + row, tile->first_column + column);
  return wrong;
}

static int transfer_quantity(const struct options* options, const struct tile* tile, MPI_File file,
                             int quantity, int reading) {
  const MPI_Offset bytes = (MPI_Offset)options->size * options->size * (MPI_Offset)sizeof(double);
  double* cells = tile->cells + quantity;
  MPI_Status status;
  MPI_File_set_view(file, quantity * bytes, MPI_DOUBLE, tile->in_file, "native", MPI_INFO_NULL);
  if (reading && options->independent)
    return MPI_File_read(file, cells, 1, tile->in_memory, &status);
  if (reading) return MPI_File_read_all(file, cells, 1, tile->in_memory, &status);
  if (options->independent) return MPI_File_write(file, cells, 1, tile->in_memory, &status);
  return MPI_File_write_all(file, cells, 1, tile->in_memory, &status);
}

/* Writes or reads a whole checkpoint, open and close included; the seconds of the slowest rank. */
static double transfer(const struct options* options, const struct tile* tile, const char* name,
                       int reading) {
  const int mode = reading ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY;
  MPI_File file;
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  check(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file), name);
  for (int q = 0; q < options->quantities; ++q)
    check(transfer_quantity(options, tile, file, q, reading), name);
  check(MPI_File_close(&file), name);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

static int parse(int argc, char** argv, struct options* options) {
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--independent") == 0)
      options->independent = 1;
    else if (strcmp(argv[i], "--new") == 0)
      options->new_files = 1;
    else if (strcmp(argv[i], "--size") == 0)
      options->size = atoi(value), ++i;
    else if (strcmp(argv[i], "--quantities") == 0)
      options->quantities = atoi(value), ++i;
    else if (strcmp(argv[i], "--checkpoints") == 0)
      options->checkpoints = atoi(value), ++i;
    else if (strcmp(argv[i], "--file") == 0)
      options->prefix = value, ++i;
    else
      return 0;
  }
  return options->size > 0 && options->quantities > 0 && options->checkpoints > 0 &&
         options->prefix[0] != '\0';
}

int main(int argc, char** argv) {
  struct options options = {2048, 1, 4, 0, 0, "tiles"};
  char name[4096];
  double best_write = 1e30, best_read = 1e30;
  MPI_Init(&argc, &argv);
  if (!parse(argc, argv, &options)) {
    fprintf(stderr,
            "usage: tiles [--size N] [--quantities N] [--checkpoints N] [--independent] [--new]\n"
            "             [--file PREFIX]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct tile tile = make_tile(options.size, options.quantities);

  for (int checkpoint = 0; checkpoint < options.checkpoints; ++checkpoint) {
    compute(&tile, checkpoint);
    snprintf(name, sizeof name, "%s.%d", options.prefix, checkpoint);
    if (options.new_files && tile.rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
    const double seconds = transfer(&options, &tile, name, 0);
    if (seconds < best_write) best_write = seconds;
  }

  long wrong = 0;
  for (int checkpoint = 0; checkpoint < options.checkpoints; ++checkpoint) {
    compute(&tile, -1);
    snprintf(name, sizeof name, "%s.%d", options.prefix, checkpoint);
    const double seconds = transfer(&options, &tile, name, 1);
    if (seconds < best_read) best_read = seconds;
    wrong += count_wrong(&tile, checkpoint);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);

  if (tile.rank == 0) {
    const double megabytes =
        (double)options.size * options.size * options.quantities * sizeof(double) / 1e6;
    printf("%d checkpoints of %.0f MB: write %.0f MB/s, read %.0f MB/s, %s\n", options.checkpoints,
           megabytes, megabytes / best_write, megabytes / best_read,
           wrong == 0 ? "verified" : "WRONG DATA");
  }
  free_tile(&tile);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
