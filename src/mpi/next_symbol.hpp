// The MPI's own version of a function that this library stands in front of.
#pragma once

namespace tributary::mpi {

void* next_symbol(const char* name);

// next<decltype(MPI_Init)>("MPI_Init")(argc, argv)
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

// Ends the program with a sentence where this library is loaded into a program of another
// MPI: anything else would crash. Called from the MPI_Init forwarders.
void refuse_foreign_mpi();

}  // namespace tributary::mpi
