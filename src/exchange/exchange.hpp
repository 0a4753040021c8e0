// The shuffles behind execute::Exchange, by the plan's choice.
#pragma once

#include <mpi.h>

#include <memory>

#include "exchange/arena.hpp"
#include "execute/collective.hpp"

namespace tributary::exchange {

// All arguments must outlive the exchange.
std::unique_ptr<execute::Exchange> make_exchange(const execute::Job& job, Arena& arena,
                                                 const Nodes& nodes, MPI_Comm comm);

}  // namespace tributary::exchange
