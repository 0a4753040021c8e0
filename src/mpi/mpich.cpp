// All that is particular to MPICH. Facts behind it: the MPI-4.0 header has large-count forms,
// and the old envelope calls fail for types that were made by them, so the large ones are used
// for all; the Fortran wrappers hand on Fortran callbacks as if they were C functions.
#include <string_view>

#include "api/fortran.hpp"
#include "api/later.hpp"
#include "mpi/flavour.hpp"

namespace tributary::mpi {
namespace {

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope envelope;
  PMPI_Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.counts,
                           &envelope.types, &envelope.combiner);
  return envelope;
}

template <typename Number>
void append(std::vector<std::int64_t>& to, const std::vector<Number>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// A large-count subarray has (ndims, order) among its integers and the rest among its counts;
// a darray only its global sizes. Both are put back into the order of the plain binding.
std::vector<std::int64_t> large_numbers(int combiner, const std::vector<int>& integers,
                                        const std::vector<MPI_Count>& counts) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(integers.size() + counts.size());
  std::ptrdiff_t before = 0;
  if (combiner == MPI_COMBINER_SUBARRAY) before = 1;
  if (combiner == MPI_COMBINER_DARRAY) before = 3;
  numbers.assign(integers.begin(), integers.begin() + before);
  append(numbers, counts);
  numbers.insert(numbers.end(), integers.begin() + before, integers.end());
  return numbers;
}

}  // namespace

// MPICH 4.0 with UCX: of thousands of small puts in one epoch some arrive after the fence.
bool fence_completes() {
  return false;
}
std::string_view library_name() {
  return "MPICH";
}
const char* library_file() {
  return "libmpich.so.12";
}

// The lowest bit of the upper half says whether the operation was cancelled.
void set_byte_count(MPI_Status& status, std::int64_t bytes) {
  status.count_lo = static_cast<int>(bytes & 0xffffffff);
  status.count_hi_and_cancelled = static_cast<int>((bytes >> 32) << 1);
}

int combiner_of(MPI_Datatype type) {
  return envelope_of(type).combiner;
}

Contents contents_of(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  Contents contents;
  contents.combiner = envelope.combiner;
  if (envelope.types == 0) return contents;
  std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
  std::vector<MPI_Count> counts(static_cast<std::size_t>(envelope.counts));
  contents.types.resize(static_cast<std::size_t>(envelope.types));
  PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                           envelope.types, integers.data(), addresses.data(), counts.data(),
                           contents.types.data());
  contents.numbers = large_numbers(envelope.combiner, integers, counts);
  append(contents.numbers, addresses);
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
TRIBUTARY_FORTRAN_CREATE_ERRHANDLER(pmpir_file_create_errhandler_f08_)

#define TRIBUTARY_FORTRAN_REGISTER_DATAREP(name)                                                 \
  extern "C" TRIBUTARY_API void name(const char*, void*, void*, void*, void*, MPI_Fint* error) { \
    const int code = tributary::api::unsupported("MPI_Register_datarep");                        \
    if (error != nullptr) *error = code;                                                         \
  }

TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_REGISTER_DATAREP, mpi_register_datarep,
                            MPI_REGISTER_DATAREP)
TRIBUTARY_FORTRAN_MANGLINGS(TRIBUTARY_FORTRAN_REGISTER_DATAREP, pmpi_register_datarep,
                            PMPI_REGISTER_DATAREP)
TRIBUTARY_FORTRAN_REGISTER_DATAREP(mpi_register_datarep_f08_)
TRIBUTARY_FORTRAN_REGISTER_DATAREP(pmpir_register_datarep_f08_)
