// The sentence behind an error code. Codes are plain error classes (making codes of our own
// breaks MPICH and disturbs Open MPI), so MPI_Error_string is interposed and gives the
// thread's last sentence for a class; without one the MPI's own words.
#pragma once

#include <string>

#include "base/result.hpp"

namespace tributary::file {

int error_class(ErrorKind kind);

// Remembers the sentence for this thread and gives the MPI error code.
int remember(const Error& error);

// Empty where this thread has had no such error.
std::string last_sentence(int code);
// last_sentence, or the MPI's own.
std::string sentence_of(int code);

}  // namespace tributary::file
