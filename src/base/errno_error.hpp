// The one table from errno to the kind of error, and thereby to the MPI error class.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace tributary {

ErrorKind error_kind_of_errno(int error_number);

// "cannot <action> '<path>': <what errno means>"
Error errno_error(std::string_view action, std::string_view path, int error_number);

}  // namespace tributary
