// Opening and closing. Rank 0 looks first: it reads the hints, creates the file when that is
// asked for, and tells the others how it went, so that a missing file costs one look-up and
// a creation race cannot happen. Then every rank opens the file, and all agree.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/errno_error.hpp"
#include "base/log.hpp"
#include "file/file.hpp"
#include "file/finalize.hpp"
#include "file/info.hpp"
#include "file/ownership.hpp"
#include "hints/environment.hpp"
#include "storage/faulty.hpp"
#include "storage/posix.hpp"
#include "storage/transfer.hpp"

namespace tributary::file {
namespace {

constexpr int kAccessModes = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;
constexpr int kKnownModes = kAccessModes | MPI_MODE_CREATE | MPI_MODE_EXCL |
                            MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL |
                            MPI_MODE_APPEND;

Status check_amode(int amode) {
  const int access = amode & kAccessModes;
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR)
    return Error{ErrorKind::amode,
                 "the access mode needs exactly one of MPI_MODE_RDONLY, _WRONLY and _RDWR"};
  if ((amode & ~kKnownModes) != 0)
    return Error{ErrorKind::amode, "the access mode has bits that MPI does not define"};
  if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
    return Error{ErrorKind::amode, "a file cannot be created and be read only"};
  if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL) != 0)
    return Error{ErrorKind::amode, "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR"};
  return {};
}

Status check_name(const char* name) {
  if (name == nullptr || *name == '\0') return Error{ErrorKind::bad_file, "the file name is empty"};
  return {};
}

// ROMIO's way to name a file system in front of the path, as in "ufs:data/out".
std::string path_of(const char* name) {
  static constexpr std::string_view kPrefixes[] = {
      "ufs:", "nfs:", "xfs:", "panfs:", "lustre:", "pvfs2:", "gpfs:", "testfs:"};
  std::string_view path = name;
  for (const std::string_view prefix : kPrefixes)
    if (path.starts_with(prefix)) return std::string(path.substr(prefix.size()));
  return std::string(path);
}

storage::OpenOptions options_of(int amode) {
  storage::OpenOptions options;
  options.read = (amode & MPI_MODE_WRONLY) == 0;
  options.write = (amode & MPI_MODE_RDONLY) == 0;
  options.create = (amode & MPI_MODE_CREATE) != 0;
  options.exclusive = (amode & MPI_MODE_EXCL) != 0;
  return options;
}

Result<storage::Opened> open_storage(const std::string& path, const storage::OpenOptions& options,
                                     [[maybe_unused]] Rank rank) {
#ifdef TRIBUTARY_FAULTS
  if (const auto text = hints::environment("TRIBUTARY_FAULTS")) {
    auto rules = storage::parse_faults(*text);
    if (!rules) return rules.error();
    auto mine = storage::faults_of_rank(std::move(*rules), to_int(rank));
    if (const int fault = storage::open_fault(mine)) return errno_error("open", path, fault);
    Result<storage::Opened> opened = storage::open_posix(path, options);
    if (opened) opened->storage = storage::make_faulty(std::move(opened->storage), mine);
    return opened;
  }
#endif
  return storage::open_posix(path, options);
}

void print(const hints::Warnings& warnings) {
  for (const std::string& warning : warnings) warn(warning);
}

// What rank 0 tells the others: the outcome of its own open, then the hints.
struct RootReport {
  Status status;
  hints::Values values;
  bool owned = false;
};

std::string pack(const RootReport& report) {
  if (report.status.ok())
    return std::string(1, report.owned ? '+' : '=').append(report.values.serialise());
  return std::string(1, '-') + std::to_string(static_cast<int>(report.status.error().kind)) + " " +
         report.status.error().message;
}

RootReport unpack(const std::string& text) {
  RootReport report;
  report.owned = text.starts_with('+');
  if (text.starts_with('-')) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const auto kind = hints::parse_integer(std::string_view(text).substr(0, space).substr(1));
    report.status = Error{kind ? static_cast<ErrorKind>(*kind) : ErrorKind::io,
                          text.substr(std::min(space + 1, text.size()))};
    return report;
  }
  Result<hints::Values> values = hints::Values::deserialise(std::string_view(text).substr(1));
  if (values)
    report.values = *values;
  else
    report.status = values.error();
  return report;
}

// Hints files are read by rank 0 alone; environment and info are each rank's own.
hints::Values resolve_hints(const Team& team, const std::string& path,
                            const std::vector<hints::Setting>& from_info) {
  hints::Warnings warnings;
  std::vector<hints::Setting> settings;
  if (team.is_root()) settings = hints::from_hints_files(warnings);
  const auto environment = hints::from_environment(path, warnings);
  settings.insert(settings.end(), environment.begin(), environment.end());
  settings.insert(settings.end(), from_info.begin(), from_info.end());
  hints::Values values = hints::resolve(settings, warnings);
  if (team.is_root()) print(warnings);
  return values;
}

// The hints that this rank's program or environment gave another value than rank 0's.
std::vector<std::int64_t> mark_differing(const hints::Values& mine, const hints::Values& root) {
  const auto given = [](hints::Origin origin) {
    return origin == hints::Origin::environment || origin == hints::Origin::info;
  };
  std::vector<std::int64_t> marks(hints::table().size(), 0);
  for (const hints::Id id : mine.differing(root))
    if (given(mine.origin(id)) || given(root.origin(id))) marks[static_cast<std::size_t>(id)] = 1;
  return marks;
}

void warn_of_differing(const std::vector<std::int64_t>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] != 0)
      warn("hint '" + std::string(hints::table()[i].name) +
           "' differs between ranks; the value of rank 0 counts");
}

// One rank's way through an open: what it has so far.
struct Opening {
  std::string path;
  int amode;
  hints::Values values;
  storage::Opened opened;
  bool owned = false;

  Status open_as_root(Rank rank) {
    Result<storage::Opened> result = open_storage(path, options_of(amode), rank);
    if (!result) return result.error();
    opened = std::move(*result);
    if ((amode & MPI_MODE_RDONLY) == 0) owned = claim_ownership(*opened.storage);
    return {};
  }
  // The file is there now, and it is not for this rank to create it.
  Status open_as_member(Rank rank) {
    storage::OpenOptions options = options_of(amode);
    options.create = false;
    Result<storage::Opened> result = open_storage(path, options, rank);
    if (!result) return result.error();
    opened = std::move(*result);
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<File>> File::open(MPI_Comm comm, const char* name, int amode,
                                         MPI_Info info) {
  Result<Team> made = Team::make(comm);
  if (!made) return made.error();
  const Team& team = *made;
  Status status = check_name(name);
  if (status.ok()) status = check_amode(amode);
  const bool arguments_ok = status.ok();
  Opening mine{status.ok() ? path_of(name) : std::string(), amode, {}, {}, false};
  if (status.ok()) mine.values = resolve_hints(team, mine.path, settings_of(info));
  if (status.ok() && team.is_root()) status = mine.open_as_root(team.rank());

  const Result<std::string> told =
      team.broadcast(team.is_root() ? pack({status, mine.values, mine.owned}) : std::string());
  if (!told) return told.error();
  std::vector<std::int64_t> differing(hints::table().size(), 0);
  if (!team.is_root()) {
    const RootReport report = unpack(*told);
    if (!report.status.ok()) return report.status.error();
    differing = mark_differing(mine.values, report.values);
    mine.values.adopt(report.values);
    mine.owned = report.owned;
    if (arguments_ok) status = mine.open_as_member(team.rank());
  } else if (!status.ok()) {
    return status.error();
  }

  const std::int64_t same = amode;
  const Status agreed = team.agree_on(status, {&same, 1}, differing);
  if (!agreed.ok()) {
    if (mine.opened.created) static_cast<void>(storage::delete_posix(mine.path));
    return agreed.error();
  }
  if (team.is_root()) warn_of_differing(differing);
  end_with_mpi();
  std::unique_ptr<File> file(
      new File(std::move(*made), std::move(mine.opened.storage), amode, std::move(mine.values)));
  file->owned_ = mine.owned;
  return file;
}

File::File(Team team, std::unique_ptr<storage::Storage> storage, int amode, hints::Values values)
    : team_(std::move(team)),
      storage_(std::move(storage)),
      amode_(amode),
      hints_(std::move(values)),
      handler_(null_handler().value()),
      view_(std::make_unique<const ViewState>()) {
  fill_informational_hints();
  refresh_independent_hints();
  if ((amode & MPI_MODE_APPEND) != 0) position_ = std::max<FileOffset>(storage_->size(), 0);
}

Status File::close() {
  const std::string path = storage_->path();
  Status status = storage::checked(storage_->close(), "close", *storage_);
  status = team_.agree(status);
  if ((amode_ & MPI_MODE_DELETE_ON_CLOSE) == 0) return status;
  Status deleted;
  if (team_.is_root()) deleted = storage::delete_posix(path);
  deleted = team_.agree(deleted);
  return status.ok() ? deleted : status;
}

Status File::remove(const char* name) {
  if (Status named = check_name(name); !named) return named;
  return storage::delete_posix(path_of(name));
}

}  // namespace tributary::file
