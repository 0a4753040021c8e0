// Entry points that manage a file: open, close, sizes, views, pointers, hints.
#include <cstring>
#include <memory>
#include <utility>

#include "api/entry.hpp"
#include "file/info.hpp"
#include "mpi/decode.hpp"
#include "mpi/export.hpp"

using tributary::Error;
using tributary::ErrorKind;
using tributary::Result;
using tributary::Status;
using tributary::api::fetch;
using tributary::api::null_argument;
using tributary::api::with_file;
using tributary::api::without_file;
using tributary::file::File;
namespace file = tributary::file;

namespace {

bool mpi_is_running() {
  int started = 0;
  int ended = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

Status check_comm(MPI_Comm comm) {
  if (!mpi_is_running()) return Error{ErrorKind::comm, "the MPI is not running"};
  if (comm == MPI_COMM_NULL) return Error{ErrorKind::comm, "the communicator is null"};
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return Error{ErrorKind::comm, "files cannot be opened by an intercommunicator"};
  return {};
}

Status open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  if (fh != nullptr) *fh = MPI_FILE_NULL;
  if (Status usable = check_comm(comm); !usable) return usable;
  const Status mine = fh == nullptr ? Status(null_argument()) : Status();
  Result<std::unique_ptr<File>> opened = File::open(comm, filename, amode, info, mine);
  if (!opened) return opened.error();
  *fh = file::register_file(std::move(*opened));
  if (*fh == MPI_FILE_NULL) return Error{ErrorKind::io, "too many open files"};
  return {};
}

Result<MPI_Aint> type_extent(MPI_Datatype datatype) {
  const Result<const tributary::view::Type*> type = tributary::mpi::decode(datatype);
  if (!type) return type.error();
  return static_cast<MPI_Aint>((*type)->extent);
}

}  // namespace

extern "C" {

TRIBUTARY_API int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                                MPI_File* fh) {
  return without_file([&] { return open(comm, filename, amode, info, fh); });
}
TRIBUTARY_PROFILED(MPI_File_open);

TRIBUTARY_API int MPI_File_close(MPI_File* fh) {
  if (fh == nullptr) return without_file([]() -> Status { return null_argument(); });
  std::unique_ptr<File> closed;  // outlives the call: its error handler may have to be called
  return with_file(*fh, [&](File& file) {
    Status status = file.close();
    closed = file::unregister_file(*fh);
    *fh = MPI_FILE_NULL;
    return status;
  });
}
TRIBUTARY_PROFILED(MPI_File_close);

TRIBUTARY_API int MPI_File_delete(const char* filename, MPI_Info) {
  return without_file([&] { return File::remove(filename); });
}
TRIBUTARY_PROFILED(MPI_File_delete);

TRIBUTARY_API int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
  return with_file(fh, [&](File& file) { return file.set_size(size); });
}
TRIBUTARY_PROFILED(MPI_File_set_size);

TRIBUTARY_API int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  return with_file(fh, [&](File& file) { return file.preallocate(size); });
}
TRIBUTARY_PROFILED(MPI_File_preallocate);

TRIBUTARY_API int MPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  return fetch(fh, size, [](File& file) { return file.size(); });
}
TRIBUTARY_PROFILED(MPI_File_get_size);

TRIBUTARY_API int MPI_File_get_group(MPI_File fh, MPI_Group* group) {
  return fetch(fh, group, [](File& file) -> Result<MPI_Group> {
    MPI_Group made = MPI_GROUP_NULL;
    PMPI_Comm_group(file.team().comm(), &made);
    return made;
  });
}
TRIBUTARY_PROFILED(MPI_File_get_group);

TRIBUTARY_API int MPI_File_get_amode(MPI_File fh, int* amode) {
  return fetch(fh, amode, [](File& file) -> Result<int> { return file.amode(); });
}
TRIBUTARY_PROFILED(MPI_File_get_amode);

TRIBUTARY_API int MPI_File_set_info(MPI_File fh, MPI_Info info) {
  return with_file(fh, [&](File& file) { return file.set_info(info); });
}
TRIBUTARY_PROFILED(MPI_File_set_info);

TRIBUTARY_API int MPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  return fetch(fh, info_used, [](File& file) -> Result<MPI_Info> { return file.info(); });
}
TRIBUTARY_PROFILED(MPI_File_get_info);

TRIBUTARY_API int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                    MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  return with_file(fh,
                   [&](File& file) { return file.set_view(disp, etype, filetype, datarep, info); });
}
TRIBUTARY_PROFILED(MPI_File_set_view);

TRIBUTARY_API int MPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype,
                                    MPI_Datatype* filetype, char* datarep) {
  return with_file(fh, [&](File& opened) -> Status {
    if (disp == nullptr || etype == nullptr || filetype == nullptr || datarep == nullptr)
      return null_argument();
    const file::ViewState& state = opened.view();
    *disp = state.view.displacement();
    *etype = state.etype.give();
    *filetype = state.filetype.give();
    std::memcpy(datarep, state.datarep.c_str(), state.datarep.size() + 1);
    return {};
  });
}
TRIBUTARY_PROFILED(MPI_File_get_view);

TRIBUTARY_API int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  return with_file(fh, [&](File& file) { return file.seek(offset, whence); });
}
TRIBUTARY_PROFILED(MPI_File_seek);

TRIBUTARY_API int MPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  return fetch(fh, offset, [](File& file) { return file.position(); });
}
TRIBUTARY_PROFILED(MPI_File_get_position);

TRIBUTARY_API int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  return fetch(fh, disp, [&](File& file) { return file.byte_offset(offset); });
}
TRIBUTARY_PROFILED(MPI_File_get_byte_offset);

TRIBUTARY_API int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return fetch(fh, extent, [&](File&) { return type_extent(datatype); });
}
TRIBUTARY_PROFILED(MPI_File_get_type_extent);

TRIBUTARY_API int MPI_File_set_atomicity(MPI_File fh, int flag) {
  return with_file(fh, [&](File& file) { return file.set_atomicity(flag != 0); });
}
TRIBUTARY_PROFILED(MPI_File_set_atomicity);

TRIBUTARY_API int MPI_File_get_atomicity(MPI_File fh, int* flag) {
  return fetch(fh, flag, [](File& file) -> Result<bool> { return file.atomicity(); });
}
TRIBUTARY_PROFILED(MPI_File_get_atomicity);

TRIBUTARY_API int MPI_File_sync(MPI_File fh) {
  return with_file(fh, [](File& file) { return file.sync(); });
}
TRIBUTARY_PROFILED(MPI_File_sync);

TRIBUTARY_API MPI_File MPI_File_f2c(MPI_Fint fh) {
  return file::from_fortran(fh);
}
TRIBUTARY_PROFILED(MPI_File_f2c);

TRIBUTARY_API MPI_Fint MPI_File_c2f(MPI_File fh) {
  return file::to_fortran(fh);
}
TRIBUTARY_PROFILED(MPI_File_c2f);

#if MPI_VERSION >= 4
TRIBUTARY_API int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype,
                                             MPI_Count* extent) {
  return fetch(fh, extent, [&](File&) { return type_extent(datatype); });
}
TRIBUTARY_PROFILED(MPI_File_get_type_extent_c);
#endif
}
