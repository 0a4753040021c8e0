#include "exchange/views.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "view/build.hpp"
#include "view/count.hpp"
#include "view/serialise.hpp"

namespace tributary::exchange {
namespace {

using execute::RankPart;
using Words = std::vector<std::int64_t>;

constexpr std::size_t kTreeWordsMax = 512;  // a longer tree is an irregular list
constexpr int kLengthTag = 32'001;          // behind those of messages.cpp
constexpr int kListTag = 32'002;

Error failure() {
  return {ErrorKind::io, "the MPI failed to exchange the views of a collective access"};
}

// The part of a rank's access that lies in a domain, as a tree of its own.
view::Tree cut(const RankPart& part, const plan::Domain& domain) {
  view::RunList runs;
  view::Cursor cursor(part.tree);
  const ByteCount end = part.position + part.bytes;
  for (std::int64_t i = 0; i < domain.blocks; ++i) {
    const Extent block = domain.block_at(i);
    if (block.end() <= part.span.offset || block.offset >= part.span.end()) continue;
    ByteCount at = std::clamp(view::data_before(part.tree, block.offset), part.position, end);
    const ByteCount to = std::clamp(view::data_before(part.tree, block.end()), at, end);
    cursor.seek(at);
    while (at < to) {
      const view::Group group = cursor.take(to - at);
      at += group.size();
      for (std::int64_t k = 0; k < group.count; ++k)
        runs.add(group.offset + k * group.stride, group.length);
    }
  }
  return std::move(runs).finish();
}

// Sends that are under way, with their memory.
class Sends {
 public:
  void add(Words words, int peer, int tag, MPI_Comm comm) {
    words_.push_back(std::move(words));
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Isend(words_.back().data(), static_cast<int>(words_.back().size()), MPI_INT64_T, peer, tag,
               comm, &request);
    requests_.push_back(request);
  }
  bool wait() {
    return PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(),
                        MPI_STATUSES_IGNORE) == MPI_SUCCESS;
  }

 private:
  std::vector<Words> words_;
  std::vector<MPI_Request> requests_;
};

void send_lists(const execute::Job& job, MPI_Comm comm, Sends& sends, ByteCount& sent_bytes) {
  for (std::size_t i = 0; i < job.plan->aggregators.size(); ++i) {
    const int index = static_cast<int>(i);
    const int peer = job.plan->aggregators[i];
    if (peer == job.rank || !job.serves(index, job.rank)) continue;
    Words words = view::serialise(cut(job.mine, job.plan->domains[i]));
    sent_bytes += static_cast<ByteCount>((words.size() + 1) * sizeof(std::int64_t));
    sends.add({static_cast<std::int64_t>(words.size())}, peer, kLengthTag, comm);
    sends.add(std::move(words), peer, kListTag, comm);
  }
}

Result<RankPart> receive_list(int rank, MPI_Comm comm) {
  std::int64_t length = 0;
  if (PMPI_Recv(&length, 1, MPI_INT64_T, rank, kLengthTag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return failure();
  Words words(static_cast<std::size_t>(length));
  if (PMPI_Recv(words.data(), static_cast<int>(length), MPI_INT64_T, rank, kListTag, comm,
                MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return failure();
  view::Tree tree = view::deserialise(words);
  const Extent span{tree.lower(), tree.upper() - tree.lower()};
  const ByteCount bytes = tree.size();
  return RankPart{std::move(tree), 0, bytes, span};
}

}  // namespace

Result<Views> exchange_views(MPI_Comm comm, const view::Tree& mine) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  Words words = view::serialise(mine);
  if (words.size() > kTreeWordsMax) words.clear();
  const int length = static_cast<int>(words.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  std::vector<int> starts(lengths.size());
  if (PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm) != MPI_SUCCESS)
    return failure();
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  Words all(static_cast<std::size_t>(starts.back() + lengths.back()));
  if (PMPI_Allgatherv(words.data(), length, MPI_INT64_T, all.data(), lengths.data(), starts.data(),
                      MPI_INT64_T, comm) != MPI_SUCCESS)
    return failure();
  Views views;
  views.sent_bytes = static_cast<ByteCount>(words.size() * sizeof(std::int64_t) + sizeof length);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::span<const std::int64_t> part = std::span(all).subspan(
        static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i]));
    views.lists.push_back(part.empty());
    views.trees.push_back(part.empty() ? view::Tree{} : view::deserialise(part));
  }
  return views;
}

Status fill_parts(execute::Job& job, MPI_Comm comm, const Views& views, std::vector<RankPart> whole,
                  ByteCount& sent_bytes) {
  const auto me = static_cast<std::size_t>(job.rank);
  Sends sends;
  if (views.lists[me] && job.mine.bytes > 0) send_lists(job, comm, sends, sent_bytes);
  Status status;
  if (job.aggregates()) {
    for (std::size_t rank = 0; rank < whole.size(); ++rank) {
      RankPart& part = whole[rank];
      const bool served = part.bytes > 0 && job.serves(job.aggregator, static_cast<int>(rank));
      if (rank == me) {
        part.tree = job.mine.tree;
      } else if (!views.lists[rank]) {
        part.tree = views.trees[rank];
      } else if (served) {
        Result<RankPart> list = receive_list(static_cast<int>(rank), comm);
        if (list.ok())
          part = std::move(*list);
        else
          status = list.error();
      }
    }
    job.parts = std::move(whole);
  }
  if (!sends.wait() && status.ok()) status = failure();
  return status;
}

}  // namespace tributary::exchange
