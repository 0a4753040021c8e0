// MPI_File values. A handle is a number in a pointer's clothes, never dereferenced:
//
//   63        48 47      31 30        16 15         0
//   | magic 'tr'|   zero   | generation | index + 1 |
//
// The lower 31 bits are the Fortran handle. The address is not canonical, so an MPI that is
// handed one by mistake faults instead of corrupting memory; the generation makes a closed
// handle invalid even after its slot is used again.
#pragma once

#include <mpi.h>

#include <memory>

namespace tributary::file {

class File;

// Registers an open file; gives MPI_FILE_NULL where 65535 files are open already.
MPI_File register_file(std::unique_ptr<File> file);
// Null for MPI_FILE_NULL, a closed file and anything that was never ours.
File* find_file(MPI_File handle);
// Takes the file out of the table.
std::unique_ptr<File> unregister_file(MPI_File handle);

MPI_Fint to_fortran(MPI_File handle);
MPI_File from_fortran(MPI_Fint handle);

// Ends what the program left open; nothing is communicated.
void drop_open_files();

}  // namespace tributary::file
