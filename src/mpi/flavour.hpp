// Everything that differs between the MPIs, as a few functions. Each is defined once in
// openmpi.cpp and once in mpich.cpp, together with the entry points that only that MPI has;
// no other file of the library asks which MPI it is built for.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace tributary::mpi {

// How a datatype was made. `numbers` are the constructor's integers in the order of the
// binding, addresses behind them; large-count forms are given in the same order.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<std::int64_t> numbers;
  std::vector<MPI_Datatype> types;
};
Contents contents_of(MPI_Datatype type);
int combiner_of(MPI_Datatype type);

// Says in a status how many bytes were moved. The fields are part of the MPI's ABI; the MPI's
// own function for it costs as much as the rest of a small call.
void set_byte_count(MPI_Status& status, std::int64_t bytes);

// Whether a fence alone does what it promises: complete the puts of all ranks at their targets.
bool fence_completes();

// The word by which MPI_Get_library_version names this MPI.
std::string_view library_name();

// The shared library that holds the MPI's own functions, for next_symbol().
const char* library_file();

}  // namespace tributary::mpi
