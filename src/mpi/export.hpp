// Marks what leaves the library; everything else is hidden (and the version script agrees).
#pragma once

#define TRIBUTARY_API __attribute__((visibility("default")))

// A second name for a function defined in the same file.
#define TRIBUTARY_ALIAS(function, name) \
  extern "C" TRIBUTARY_API __attribute__((alias(#function))) decltype(function) name

// The profiling name of an MPI function: a tool in front of us calls it, and Open MPI's
// Fortran wrappers do.
#define TRIBUTARY_PROFILED(function) TRIBUTARY_ALIAS(function, P##function)
