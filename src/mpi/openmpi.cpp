// All that is particular to Open MPI. facts behind it: MPI-3.1 header without large-count
// forms; Fortran wrappers call the PMPI_ names, except file_create_errhandler, which goes to
// a function inside the MPI.
#include <string_view>

#include "api/fortran.hpp"
#include "mpi/flavour.hpp"

namespace tributary::mpi {

bool fence_completes() {
  return true;
}
std::string_view library_name() {
  return "Open MPI";
}
const char* library_file() {
  return "libmpi.so.40";
}

void set_byte_count(MPI_Status& status, std::int64_t bytes) {
  status._ucount = static_cast<std::size_t>(bytes);
  status._cancelled = 0;
}

int combiner_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}

Contents contents_of(MPI_Datatype type) {
  Contents contents;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &contents.combiner);
  if (types == 0) return contents;
  std::vector<int> integer_list(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> address_list(static_cast<std::size_t>(addresses));
  contents.types.resize(static_cast<std::size_t>(types));
  PMPI_Type_get_contents(type, integers, addresses, types, integer_list.data(), address_list.data(),
                         contents.types.data());
  contents.numbers.reserve(integer_list.size() + address_list.size());
  contents.numbers.assign(integer_list.begin(), integer_list.end());
  contents.numbers.insert(contents.numbers.end(), address_list.begin(), address_list.end());
  return contents;
}

}  // namespace tributary::mpi

TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_INIT, mpi_init, MPI_INIT)
TRIBUTARY_FORTRAN_INIT(mpi_init_f08_)
TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_INIT_THREAD, mpi_init_thread, MPI_INIT_THREAD)
TRIBUTARY_FORTRAN_INIT_THREAD(mpi_init_thread_f08_)

TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_CREATE_ERRHANDLER, mpi_file_create_errhandler,
                            MPI_FILE_CREATE_ERRHANDLER)
TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_CREATE_ERRHANDLER, pmpi_file_create_errhandler,
                            PMPI_FILE_CREATE_ERRHANDLER)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(mpi_file_create_errhandler_f08_)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(pmpi_file_create_errhandler_f08_)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(MPI_File_create_errhandler_f)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(PMPI_File_create_errhandler_f)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(MPI_File_create_errhandler_f08)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(PMPI_File_create_errhandler_f08)
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(ompi_file_create_errhandler_f)
