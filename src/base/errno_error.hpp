// The one table from errno to the kind of error, and thereby to the MPI error class.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tributary {

ErrorKind error_kind_of_errno(int error_number);

// A path for a sentence, in quotes; of a long one only the end, since MPI's sentences are short.
std::string quoted_path(std::string_view path);

// "cannot <action> '<path>': <what errno means>"
Error errno_error(std::string_view action, std::string_view path, int error_number);

}  // namespace tributary
