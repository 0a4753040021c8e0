// Subarrays and distributed arrays as MPI describes them (view/array.hpp does the work).
#pragma once

#include <cstdint>
#include <span>

#include "view/tree.hpp"

namespace tributary::mpi {

// numbers: ndims, sizes[], subsizes[], starts[], order
view::Tree decode_subarray(std::span<const std::int64_t> numbers, const view::Type& element);

// numbers: size, rank, ndims, gsizes[], distribs[], dargs[], psizes[], order
view::Tree decode_darray(std::span<const std::int64_t> numbers, const view::Type& element);

}  // namespace tributary::mpi
