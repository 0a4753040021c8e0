#include "file/errhandler.hpp"

#include <cstdio>
#include <mutex>
#include <variant>
#include <vector>

#include "file/handle.hpp"
#include "file/last_error.hpp"
#include "mpi/next_symbol.hpp"

namespace tributary::file {
namespace {

struct Entry {
  MPI_Errhandler errhandler;
  std::variant<CHandler*, FortranHandler*> function;
  int references;
};

struct Registry {
  std::mutex mutex;
  std::vector<Entry> entries;  // a program makes few handlers

  Entry* find(MPI_Errhandler errhandler) {
    for (Entry& entry : entries)
      if (entry.errhandler == errhandler) return &entry;
    return nullptr;
  }
};

Registry& registry() {
  static Registry* const instance = new Registry;  // never destroyed: used until the process ends
  return *instance;
}

bool is_predefined(MPI_Errhandler errhandler) {
  return errhandler == MPI_ERRORS_RETURN || errhandler == MPI_ERRORS_ARE_FATAL
#if MPI_VERSION >= 4
         || errhandler == MPI_ERRORS_ABORT
#endif
      ;
}

// The MPI's own object stands for the handler in the program's hands; it is never called.
void never_called(MPI_File*, int*, ...) {}

int create(std::variant<CHandler*, FortranHandler*> function, MPI_Errhandler* errhandler) {
  const auto make = mpi::next<decltype(MPI_File_create_errhandler)>("PMPI_File_create_errhandler");
  const int code = make(never_called, errhandler);
  if (code != MPI_SUCCESS) return code;
  const std::scoped_lock guard(registry().mutex);
  registry().entries.push_back({*errhandler, function, 1});
  return MPI_SUCCESS;
}

void add_reference(MPI_Errhandler errhandler) {
  const std::scoped_lock guard(registry().mutex);
  if (Entry* entry = registry().find(errhandler)) ++entry->references;
}

// True if the handler was one of ours.
bool drop_reference(MPI_Errhandler errhandler) {
  const std::scoped_lock guard(registry().mutex);
  Entry* entry = registry().find(errhandler);
  if (entry == nullptr) return false;
  if (--entry->references == 0) {
    MPI_Errhandler unused = errhandler;
    mpi::next<decltype(MPI_Errhandler_free)>("PMPI_Errhandler_free")(&unused);
    *entry = registry().entries.back();
    registry().entries.pop_back();
  }
  return true;
}

void end_job(int code, MPI_Comm comm) {
  const std::string sentence = sentence_of(code);
  std::fprintf(stderr, "tributary: error: %s; MPI_ERRORS_ARE_FATAL is set, the job ends\n",
               sentence.c_str());
  PMPI_Abort(comm, code);
}

}  // namespace

int create_errhandler(CHandler* function, MPI_Errhandler* errhandler) {
  return create(function, errhandler);
}

int create_errhandler(FortranHandler* function, MPI_Errhandler* errhandler) {
  return create(function, errhandler);
}

int free_errhandler(MPI_Errhandler* errhandler) {
  if (errhandler == nullptr || !drop_reference(*errhandler))
    return mpi::next<decltype(MPI_Errhandler_free)>("PMPI_Errhandler_free")(errhandler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

HandlerRef::HandlerRef(MPI_Errhandler errhandler) : errhandler_(errhandler) {
  add_reference(errhandler_);
}

HandlerRef::~HandlerRef() {
  drop_reference(errhandler_);
}

Status HandlerRef::set(MPI_Errhandler errhandler) {
  {
    const std::scoped_lock guard(registry().mutex);
    Entry* entry = registry().find(errhandler);
    if (entry == nullptr && !is_predefined(errhandler))
      return Error{ErrorKind::argument, "the error handler was not made for files"};
    if (entry != nullptr) ++entry->references;
  }
  drop_reference(errhandler_);
  errhandler_ = errhandler;
  return {};
}

MPI_Errhandler HandlerRef::get() const {
  add_reference(errhandler_);
  return errhandler_;
}

int HandlerRef::call(MPI_File handle, int code, MPI_Comm comm) const {
  if (errhandler_ == MPI_ERRORS_RETURN) return code;
  if (is_predefined(errhandler_)) {
    end_job(code, comm);
    return code;
  }
  std::variant<CHandler*, FortranHandler*> function;
  {
    const std::scoped_lock guard(registry().mutex);
    const Entry* entry = registry().find(errhandler_);
    if (entry == nullptr) return code;
    function = entry->function;
  }
  if (auto* const* in_c = std::get_if<CHandler*>(&function)) {
    (*in_c)(&handle, &code);
  } else {
    MPI_Fint fortran_handle = to_fortran(handle);
    MPI_Fint fortran_code = code;
    std::get<FortranHandler*>(function)(&fortran_handle, &fortran_code);
    code = fortran_code;
  }
  return code;
}

HandlerRef& null_handler() {
  static HandlerRef* const instance = new HandlerRef;
  return *instance;
}

}  // namespace tributary::file
