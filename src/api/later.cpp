// What a later version brings: nonblocking and split collective access, the shared file
// pointer, user-defined data representations. Every one of these functions exists, so that
// none of our handles reaches the MPI, and fails with MPI_ERR_UNSUPPORTED_OPERATION through
// the file's error handler. This file is the whole list; it shrinks until it is gone.
#include "api/later.hpp"

#include <string>

#include "api/entry.hpp"
#include "mpi/export.hpp"

namespace tributary::api {
namespace {

Error unsupported_error(const char* name) {
  return {ErrorKind::unsupported_operation,
          std::string(name) + " is not supported by this version of Tributary"};
}

int unsupported_on(MPI_File fh, const char* name) {
  return with_file(fh, [&](file::File&) -> Status { return unsupported_error(name); });
}

}  // namespace

int unsupported(const char* name) {
  return without_file([&]() -> Status { return unsupported_error(name); });
}

}  // namespace tributary::api

#define TRIBUTARY_LATER(name, ...)                    \
  extern "C" TRIBUTARY_API int name(__VA_ARGS__) {    \
    return tributary::api::unsupported_on(fh, #name); \
  }                                                   \
  TRIBUTARY_PROFILED(name);

#define TRIBUTARY_LATER_REQUEST(name, ...)               \
  extern "C" TRIBUTARY_API int name(__VA_ARGS__) {       \
    if (request != nullptr) *request = MPI_REQUEST_NULL; \
    return tributary::api::unsupported_on(fh, #name);    \
  }                                                      \
  TRIBUTARY_PROFILED(name);

// Functions that take a count, in the count type of the binding.
#define TRIBUTARY_LATER_COUNTED(verb, buffer_type, count_type, c)                                  \
  TRIBUTARY_LATER_REQUEST(MPI_File_i##verb##_at##c, MPI_File fh, MPI_Offset, buffer_type,          \
                          count_type, MPI_Datatype, MPI_Request* request)                          \
  TRIBUTARY_LATER_REQUEST(MPI_File_i##verb##_at_all##c, MPI_File fh, MPI_Offset, buffer_type,      \
                          count_type, MPI_Datatype, MPI_Request* request)                          \
  TRIBUTARY_LATER_REQUEST(MPI_File_i##verb##c, MPI_File fh, buffer_type, count_type, MPI_Datatype, \
                          MPI_Request* request)                                                    \
  TRIBUTARY_LATER_REQUEST(MPI_File_i##verb##_all##c, MPI_File fh, buffer_type, count_type,         \
                          MPI_Datatype, MPI_Request* request)                                      \
  TRIBUTARY_LATER_REQUEST(MPI_File_i##verb##_shared##c, MPI_File fh, buffer_type, count_type,      \
                          MPI_Datatype, MPI_Request* request)                                      \
  TRIBUTARY_LATER(MPI_File_##verb##_shared##c, MPI_File fh, buffer_type, count_type, MPI_Datatype, \
                  MPI_Status*)                                                                     \
  TRIBUTARY_LATER(MPI_File_##verb##_ordered##c, MPI_File fh, buffer_type, count_type,              \
                  MPI_Datatype, MPI_Status*)                                                       \
  TRIBUTARY_LATER(MPI_File_##verb##_at_all_begin##c, MPI_File fh, MPI_Offset, buffer_type,         \
                  count_type, MPI_Datatype)                                                        \
  TRIBUTARY_LATER(MPI_File_##verb##_all_begin##c, MPI_File fh, buffer_type, count_type,            \
                  MPI_Datatype)                                                                    \
  TRIBUTARY_LATER(MPI_File_##verb##_ordered_begin##c, MPI_File fh, buffer_type, count_type,        \
                  MPI_Datatype)

#define TRIBUTARY_LATER_END(verb, buffer_type)                                         \
  TRIBUTARY_LATER(MPI_File_##verb##_at_all_end, MPI_File fh, buffer_type, MPI_Status*) \
  TRIBUTARY_LATER(MPI_File_##verb##_all_end, MPI_File fh, buffer_type, MPI_Status*)    \
  TRIBUTARY_LATER(MPI_File_##verb##_ordered_end, MPI_File fh, buffer_type, MPI_Status*)

TRIBUTARY_LATER_COUNTED(read, void*, int, )
TRIBUTARY_LATER_COUNTED(write, const void*, int, )
TRIBUTARY_LATER_END(read, void*)
TRIBUTARY_LATER_END(write, const void*)
TRIBUTARY_LATER(MPI_File_seek_shared, MPI_File fh, MPI_Offset, int)
TRIBUTARY_LATER(MPI_File_get_position_shared, MPI_File fh, MPI_Offset*)

extern "C" TRIBUTARY_API int MPI_Register_datarep(const char*, MPI_Datarep_conversion_function*,
                                                  MPI_Datarep_conversion_function*,
                                                  MPI_Datarep_extent_function*, void*) {
  return tributary::api::unsupported("MPI_Register_datarep");
}
TRIBUTARY_PROFILED(MPI_Register_datarep);

#if MPI_VERSION >= 4
TRIBUTARY_LATER_COUNTED(read, void*, MPI_Count, _c)
TRIBUTARY_LATER_COUNTED(write, const void*, MPI_Count, _c)

extern "C" TRIBUTARY_API int MPI_Register_datarep_c(const char*, MPI_Datarep_conversion_function_c*,
                                                    MPI_Datarep_conversion_function_c*,
                                                    MPI_Datarep_extent_function*, void*) {
  return tributary::api::unsupported("MPI_Register_datarep_c");
}
TRIBUTARY_PROFILED(MPI_Register_datarep_c);
#endif
