// Entry points that move data, plain and large-count: each fills in a Call.
#include "api/entry.hpp"
#include "mpi/export.hpp"
#include "mpi/flavour.hpp"

using tributary::ByteCount;
using tributary::Direction;
using tributary::Status;
using tributary::api::with_file;
using tributary::file::Call;
using tributary::file::File;
using tributary::file::Pointer;

namespace {

enum Coordination : bool { kIndependent = false, kCollective = true };

int access(MPI_File fh, const Call& call, MPI_Status* status) {
  return with_file(fh, [&](File& file) {
    ByteCount moved = 0;
    Status outcome = file.access(call, moved);
    if (status != MPI_STATUS_IGNORE) tributary::mpi::set_byte_count(*status, moved);
    return outcome;
  });
}

// The buffer of a write is never stored to; one Call serves both directions.
void* any(const void* buffer) {
  return const_cast<void*>(buffer);
}

}  // namespace

// One function with an explicit offset and one by the individual pointer, each independent
// and collective, in the count type of the binding.
#define TRIBUTARY_ACCESS(direction, verb, buffer_type, count_type, suffix)                         \
  extern "C" TRIBUTARY_API int MPI_File_##verb##_at##suffix(                                       \
      MPI_File fh, MPI_Offset offset, buffer_type buf, count_type count, MPI_Datatype datatype,    \
      MPI_Status* status) {                                                                        \
    return access(fh,                                                                              \
                  {Direction::direction, Pointer::explicit_offset, kIndependent, offset, any(buf), \
                   count, datatype},                                                               \
                  status);                                                                         \
  }                                                                                                \
  extern "C" TRIBUTARY_API int MPI_File_##verb##_at_all##suffix(                                   \
      MPI_File fh, MPI_Offset offset, buffer_type buf, count_type count, MPI_Datatype datatype,    \
      MPI_Status* status) {                                                                        \
    return access(fh,                                                                              \
                  {Direction::direction, Pointer::explicit_offset, kCollective, offset, any(buf),  \
                   count, datatype},                                                               \
                  status);                                                                         \
  }                                                                                                \
  extern "C" TRIBUTARY_API int MPI_File_##verb##suffix(                                            \
      MPI_File fh, buffer_type buf, count_type count, MPI_Datatype datatype, MPI_Status* status) { \
    return access(                                                                                 \
        fh,                                                                                        \
        {Direction::direction, Pointer::individual, kIndependent, 0, any(buf), count, datatype},   \
        status);                                                                                   \
  }                                                                                                \
  extern "C" TRIBUTARY_API int MPI_File_##verb##_all##suffix(                                      \
      MPI_File fh, buffer_type buf, count_type count, MPI_Datatype datatype, MPI_Status* status) { \
    return access(                                                                                 \
        fh,                                                                                        \
        {Direction::direction, Pointer::individual, kCollective, 0, any(buf), count, datatype},    \
        status);                                                                                   \
  }                                                                                                \
  TRIBUTARY_PROFILED(MPI_File_##verb##_at##suffix);                                                \
  TRIBUTARY_PROFILED(MPI_File_##verb##_at_all##suffix);                                            \
  TRIBUTARY_PROFILED(MPI_File_##verb##suffix);                                                     \
  TRIBUTARY_PROFILED(MPI_File_##verb##_all##suffix);

TRIBUTARY_ACCESS(read, read, void*, int, )
TRIBUTARY_ACCESS(write, write, const void*, int, )
#if MPI_VERSION >= 4
TRIBUTARY_ACCESS(read, read, void*, MPI_Count, _c)
TRIBUTARY_ACCESS(write, write, const void*, MPI_Count, _c)
#endif
