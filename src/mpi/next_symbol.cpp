#include "mpi/next_symbol.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mpi/flavour.hpp"

namespace tributary::mpi {

// RTLD_NEXT finds a tool that is preloaded behind us; where we were loaded privately and the
// MPI is not in our scope, the MPI's library is asked by name.
void* next_symbol(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  void* library = dlopen(library_file(), RTLD_LAZY | RTLD_NOLOAD);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (library != nullptr) dlclose(library);
  if (found == nullptr) {
    std::fprintf(stderr, "tributary: error: this program's MPI has no function %s\n", name);
    std::_Exit(EXIT_FAILURE);
  }
  return found;
}

void refuse_foreign_mpi() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(version, &length);
  if (std::string_view(version).find(library_name()) != std::string_view::npos) return;
  std::fprintf(stderr,
               "tributary: error: this is the library for %.*s, but the program runs on %.*s; "
               "load the Tributary library of that MPI\n",
               static_cast<int>(library_name().size()), library_name().data(),
               static_cast<int>(std::strcspn(version, "\t\n,:")), version);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace tributary::mpi
