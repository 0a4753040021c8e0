// The eight blocking data accesses under one signature, for tests that go through all of them.
#pragma once

#include <mpi.h>

#include <array>

namespace tributary::test {

struct AccessCall {
  const char* name;
  bool write;
  bool collective;
  bool explicit_offset;
  int (*call)(MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*);
};

inline constexpr std::array<AccessCall, 8> access_calls{{
    {"read_at", false, false, true, MPI_File_read_at},
    {"read_at_all", false, true, true, MPI_File_read_at_all},
    {"write_at", true, false, true,
     [](MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
        MPI_Status* status) {
       return MPI_File_write_at(file, offset, buffer, count, type, status);
     }},
    {"write_at_all", true, true, true,
     [](MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
        MPI_Status* status) {
       return MPI_File_write_at_all(file, offset, buffer, count, type, status);
     }},
    {"read", false, false, false,
     [](MPI_File file, MPI_Offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
       return MPI_File_read(file, buffer, count, type, status);
     }},
    {"read_all", false, true, false,
     [](MPI_File file, MPI_Offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
       return MPI_File_read_all(file, buffer, count, type, status);
     }},
    {"write", true, false, false,
     [](MPI_File file, MPI_Offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
       return MPI_File_write(file, buffer, count, type, status);
     }},
    {"write_all", true, true, false,
     [](MPI_File file, MPI_Offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
       return MPI_File_write_all(file, buffer, count, type, status);
     }},
}};

}  // namespace tributary::test
