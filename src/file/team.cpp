#include "file/team.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tributary::file {
namespace {

// One number that orders errors by kind and, within a kind, prefers the lowest rank.
constexpr std::int64_t kRankSpan = std::int64_t{1} << 32;

std::int64_t encode(const Status& status, int rank) {
  if (status.ok()) return 0;
  return static_cast<std::int64_t>(status.error().kind) * kRankSpan + (kRankSpan - 1 - rank);
}

Error mpi_failure() {
  return {ErrorKind::io, "the MPI failed to communicate"};
}

}  // namespace

Result<Team> Team::make(MPI_Comm comm) {
  Team team;
  if (PMPI_Comm_dup(comm, &team.comm_) != MPI_SUCCESS)
    return Error{ErrorKind::comm, "the communicator cannot be duplicated"};
  PMPI_Comm_set_errhandler(team.comm_, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(team.comm_, &team.rank_);
  PMPI_Comm_size(team.comm_, &team.size_);
  return team;
}

Team::Team(Team&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Team::~Team() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

Status Team::agree(const Status& mine) const {
  return agree_on(mine, {});
}

// Equal values have equal maxima of v and of -v: one reduction serves for all of it.
Status Team::agree_on(const Status& mine, std::span<const std::int64_t> same,
                      std::span<std::int64_t> maxima) const {
  if (size_ == 1) return mine;
  std::vector<std::int64_t> numbers{encode(mine, rank_)};
  for (const std::int64_t value : same) {
    numbers.push_back(value);
    numbers.push_back(-value);
  }
  numbers.insert(numbers.end(), maxima.begin(), maxima.end());
  if (PMPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                     MPI_MAX, comm_) != MPI_SUCCESS)
    return mpi_failure();
  const std::size_t behind_same = 1 + 2 * same.size();
  std::copy(numbers.begin() + static_cast<std::ptrdiff_t>(behind_same), numbers.end(),
            maxima.begin());
  if (numbers[0] != 0)
    return error_of(static_cast<int>(kRankSpan - 1 - numbers[0] % kRankSpan),
                    static_cast<ErrorKind>(numbers[0] / kRankSpan), mine);
  for (std::size_t i = 1; i < behind_same; i += 2)
    if (numbers[i] != -numbers[i + 1])
      return Error{ErrorKind::not_same, "the ranks of a collective call gave different arguments"};
  return {};
}

// Errors are rare and may cost a second message, so that every rank can say what happened.
Error Team::error_of(int rank, ErrorKind kind, const Status& mine) const {
  char text[256] = {};
  if (rank == rank_) mine.error().message.copy(text, sizeof text - 1);
  PMPI_Bcast(text, sizeof text, MPI_CHAR, rank, comm_);
  if (rank == rank_) return mine.error();
  return {kind, std::string(text) + " (on rank " + std::to_string(rank) + ")"};
}

Result<std::string> Team::broadcast(std::string mine) const {
  if (size_ == 1) return mine;
  auto length = static_cast<std::int64_t>(mine.size());
  if (PMPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_) != MPI_SUCCESS) return mpi_failure();
  mine.resize(static_cast<std::size_t>(length));
  if (PMPI_Bcast(mine.data(), static_cast<int>(length), MPI_CHAR, 0, comm_) != MPI_SUCCESS)
    return mpi_failure();
  return mine;
}

}  // namespace tributary::file
