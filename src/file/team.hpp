// The ranks that opened a file together, on a communicator of the library's own, and the one
// place where they agree on the outcome of a collective call: whatever happens on one rank,
// every rank returns the same error (docs/architecture.md, rule 7).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace tributary::file {

class Team {
 public:
  // Collective over `comm`.
  static Result<Team> make(MPI_Comm comm);
  Team(Team&& other) noexcept;
  Team& operator=(Team&&) = delete;
  ~Team();

  MPI_Comm comm() const { return comm_; }
  Rank rank() const { return Rank{rank_}; }
  bool is_root() const { return rank_ == 0; }
  int size() const { return size_; }

  // Collective: success only if every rank had it; else one rank's error, on all of them.
  Status agree(const Status& mine) const;
  // Also fails, with ErrorKind::not_same, where the values `same` differ between ranks, and
  // puts the largest of any rank into each of `maxima`. One message in all.
  Status agree_on(const Status& mine, std::span<const std::int64_t> same,
                  std::span<std::int64_t> maxima = {}) const;
  // The root's text, on every rank.
  Result<std::string> broadcast(std::string mine) const;

 private:
  Team() = default;
  Error error_of(int rank, ErrorKind kind, const Status& mine) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace tributary::file
