// Size, space, synchronisation, atomicity and hints of an open file.
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/log.hpp"
#include "execute/scratch.hpp"
#include "file/file.hpp"
#include "file/info.hpp"
#include "hints/for_plan.hpp"
#include "storage/transfer.hpp"

namespace tributary::file {

using storage::checked;
using storage::uninterrupted;

// Files opened with MPI_MODE_SEQUENTIAL have no places that can be gone to.
Status File::refuse_sequential() const {
  if ((amode_ & MPI_MODE_SEQUENTIAL) == 0) return {};
  return Error{ErrorKind::unsupported_operation,
               "MPI_MODE_SEQUENTIAL allows access by the shared file pointer only"};
}

Status File::check_new_size(MPI_Offset size, std::string_view action) const {
  if (Status allowed = require_writable(action); !allowed) return allowed;
  if (Status random = refuse_sequential(); !random) return random;
  if (size < 0) return Error{ErrorKind::argument, "the size is negative"};
  return {};
}

Status File::require_writable(std::string_view action) const {
  if (writable()) return {};
  return Error{ErrorKind::read_only,
               "cannot " + std::string(action) + " a file that was opened with MPI_MODE_RDONLY"};
}

Result<MPI_Offset> File::size() {
  const FileOffset size = storage_->size();
  if (Status known =
          checked(static_cast<int>(std::min<FileOffset>(size, 0)), "get the size of", *storage_);
      !known)
    return known.error();
  return size;
}

// The arguments are agreed on before anything is changed; then rank 0 acts for all.
Status File::set_size(MPI_Offset size) {
  Status status = check_new_size(size, "resize");
  const std::int64_t same = size;
  if (Status agreed = team_.agree_on(status, {&same, 1}); !agreed) return agreed;
  if (team_.is_root())
    status = checked(uninterrupted([&] { return storage_->resize(size); }), "resize", *storage_);
  return team_.agree(status);
}

Status File::preallocate(MPI_Offset size) {
  Status status = check_new_size(size, "reserve space in");
  const std::int64_t same = size;
  if (Status agreed = team_.agree_on(status, {&same, 1}); !agreed) return agreed;
  if (team_.is_root() && size > 0) status = preallocate_as_root(size);
  return team_.agree(status);
}

// Where the file system cannot reserve, zeros behind the end take up the space; what is
// there already has its space.
Status File::preallocate_as_root(FileOffset size) {
  const int reserved = uninterrupted([&] { return storage_->reserve({0, size}); });
  if (reserved != -EOPNOTSUPP && reserved != -ENOSYS)
    return checked(reserved, "reserve space in", *storage_);
  Result<MPI_Offset> end = this->size();
  if (!end) return end.error();
  constexpr ByteCount kStep = ByteCount{1} << 20;
  const execute::Scratch zeros(kStep);
  std::fill_n(zeros.data(), kStep, std::byte{0});
  for (FileOffset at = *end; at < size; at += kStep) {
    const storage::Moved moved = storage::move_block(*storage_, Direction::write, at, zeros.data(),
                                                     std::min(kStep, size - at));
    if (!moved.status) return moved.status;
  }
  return {};
}

Status File::sync() {
  Status status;
  if (writable() &&
      hints_.choice<hints::SyncMeaning>(hints::Id::tributary_sync) == hints::SyncMeaning::storage)
    status = checked(uninterrupted([&] { return storage_->sync(); }), "synchronise", *storage_);
  return team_.agree(status);
}

// Atomic mode stands on byte-range locks; whether the file system has them is tried here, on
// a range that no access can reach.
Status File::set_atomicity(bool atomic) {
  Status status;
  if (atomic) {
    const Result<storage::RangeLock> lock =
        storage::RangeLock::acquire(*storage_, {kOffsetLimit, 1}, shared_mode());
    if (!lock)
      status = Error{ErrorKind::unsupported_operation,
                     "atomic mode needs byte-range locks: " + lock.error().message};
  }
  const std::int64_t flag = atomic ? 1 : 0;
  if (Status agreed = team_.agree_on(status, {&flag, 1}); !agreed) return agreed;
  atomic_ = atomic;
  return {};
}

// Rank 0's values count; the others take them over. Nothing is sent where no rank has any.
Status File::set_info(MPI_Info info) {
  const std::vector<hints::Setting> settings = settings_of(info);
  std::int64_t given = settings.empty() ? 0 : 1;
  if (Status agreed = team_.agree_on({}, {}, {&given, 1}); !agreed) return agreed;
  return given == 0 ? Status() : adopt_hints(settings);
}

Status File::adopt_hints(std::span<const hints::Setting> settings) {
  hints::Warnings warnings;
  hints::Values values = hints_;
  hints::apply(values, settings, hints::Moment::later, warnings);
  if (team_.is_root())
    for (const std::string& warning : warnings) warn(warning);
  const Result<std::string> told =
      team_.broadcast(team_.is_root() ? values.serialise() : std::string());
  if (!told) return told.error();
  Result<hints::Values> root = hints::Values::deserialise(*told);
  if (!root) return root.error();
  std::vector<std::int64_t> differing = mark_differing(values, *root);
  if (Status agreed = team_.agree_on({}, {}, differing); !agreed) return agreed;
  if (team_.is_root()) warn_of_differing(differing);
  values.adopt(*root);
  hints_ = std::move(values);
  refresh_plan_hints();
  return {};
}

void File::refresh_plan_hints() {
  independent_hints_ = hints::independent_hints(hints_);
  for (const Direction direction : {Direction::read, Direction::write})
    collective_hints_[static_cast<std::size_t>(direction)] =
        hints::collective_hints(hints_, direction);
  layout_ = hints::layout_of(hints_);
}

void File::fill_informational_hints() {
  hints_.set(hints::Id::romio_filesystem_type,
             "TRIBUTARY: " + std::string(storage_->traits().file_system), hints::Origin::library);
}

MPI_Info File::info() const {
  hints::Values values = hints_;
  if (const char* reason = last_.reason.load())
    values.set(hints::Id::tributary_strategy_used,
               std::string(plan::name_of(last_.strategy.load())) + ": " + reason,
               hints::Origin::library);
  values.set(hints::Id::tributary_collective_used, collective_.description(),
             hints::Origin::library);
  values.set(hints::Id::romio_aggregator_list, collective_.aggregator_list(),
             hints::Origin::library);
  values.set(hints::Id::tributary_metadata_bytes, std::to_string(collective_.metadata_bytes()),
             hints::Origin::library);
  return info_of(values);
}

}  // namespace tributary::file
