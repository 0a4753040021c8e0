// Opening and closing. Rank 0 looks first: it reads the hints, creates the file when that is
// asked for, and tells the others how it went, so that a missing file costs one look-up and
// a creation race cannot happen. Then every rank opens the file, and all agree.
#include <algorithm>
#include <cerrno>
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

// ROMIO's way to name a file system in front of the path, as in "ufs:data/out".
std::string_view without_prefix(std::string_view name) {
  static constexpr std::string_view kPrefixes[] = {
      "ufs:", "nfs:", "xfs:", "panfs:", "lustre:", "pvfs2:", "gpfs:", "testfs:"};
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

Result<std::string> path_of(const char* name) {
  std::string path(name == nullptr ? std::string_view() : without_prefix(name));
  if (path.empty()) return Error{ErrorKind::bad_file, "the file name is empty"};
  return path;
}

Error named_at(const std::string& path, Error error) {
  if (error.message.find(quoted_path(path)) == std::string::npos)
    error.message = "cannot open " + quoted_path(path) + ": " + error.message;
  return error;
}

Status check_arguments(const Result<std::string>& path, int amode) {
  if (!path) return path.error();
  const Status checked = check_amode(amode);
  return checked.ok() ? checked : named_at(*path, checked.error());
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
    int fault = storage::open_fault(mine);
    while (fault == EINTR) fault = storage::open_fault(mine);
    if (fault != 0) return errno_error("open", path, fault);
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

// One rank's way through an open: what it has so far.
struct Opening {
  std::string path;
  int amode;
  hints::Values values;
  storage::Opened opened;
  FileOffset end = 0;
  bool owned = false;

  // Only rank 0 creates; for the others the file is there now.
  Status open(const Team& team) {
    storage::OpenOptions options = options_of(amode);
    options.create = options.create && team.is_root();
    Result<storage::Opened> result = open_storage(path, options, team.rank());
    if (!result) return result.error();
    opened = std::move(*result);
    if (team.is_root() && options.write) owned = claim_ownership(*opened.storage);
    return find_end();
  }
  // A failed open leaves no file that it made.
  void undo() const {
    if (!opened.created.empty()) static_cast<void>(storage::delete_posix(opened.created));
  }
  // Before the open is agreed on: then no rank can have made the file longer.
  Status find_end() {
    if ((amode & MPI_MODE_APPEND) == 0) return {};
    end = opened.storage->size();
    return storage::checked(static_cast<int>(std::min<FileOffset>(end, 0)), "get the size of",
                            *opened.storage);
  }
};

}  // namespace

Result<std::unique_ptr<File>> File::open(MPI_Comm comm, const char* name, int amode, MPI_Info info,
                                         const Status& before) {
  Result<Team> made = Team::make(comm);
  if (!made) return made.error();
  const Team& team = *made;
  const Result<std::string> path = path_of(name);
  Status status = before.ok() ? check_arguments(path, amode) : before;
  const bool arguments_ok = status.ok();
  Opening mine{path ? *path : std::string(), amode, {}, {}, 0, false};
  if (status.ok()) mine.values = resolve_hints(team, mine.path, settings_of(info));
  if (status.ok() && team.is_root()) status = mine.open(team);

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
    if (arguments_ok) status = mine.open(team);
  } else if (!status.ok()) {
    mine.undo();
    return status.error();
  }

  const std::int64_t same = amode;
  const bool sees_at_once = status.ok() && mine.opened.storage->traits().visible_at_once;
  std::vector<std::int64_t> on_some_rank = differing;
  on_some_rank.push_back(sees_at_once ? 0 : 1);
  const Status agreed = team.agree_on(status, {&same, 1}, on_some_rank);
  differing.assign(on_some_rank.begin(), on_some_rank.end() - 1);
  if (!agreed.ok()) {
    mine.undo();
    return named_at(mine.path, agreed.error());
  }
  if (team.is_root()) warn_of_differing(differing);
  end_with_mpi();
  std::unique_ptr<File> file(
      new File(std::move(*made), std::move(mine.opened.storage), amode, std::move(mine.values)));
  file->owned_ = mine.owned;
  file->one_page_cache_ = on_some_rank.back() == 0;
  file->position_ = mine.end;
  return file;
}

File::File(Team team, std::unique_ptr<storage::Storage> storage, int amode, hints::Values values)
    : team_(std::move(team)),
      storage_(std::move(storage)),
      amode_(amode),
      hints_(std::move(values)),
      collective_(team_),
      handler_(null_handler().value()),
      view_(std::make_unique<const ViewState>()) {
  fill_informational_hints();
  refresh_plan_hints();
}

Status File::close() {
  const std::string path = storage_->path();
  const int closed = storage_->close();
  Status status = team_.agree(storage::checked(closed == -EINTR ? 0 : closed, "close", *storage_));
  if ((amode_ & MPI_MODE_DELETE_ON_CLOSE) == 0) return status;
  Status deleted;
  if (team_.is_root()) deleted = storage::delete_posix(path);
  deleted = team_.agree(deleted);
  return status.ok() ? deleted : status;
}

Status File::remove(const char* name) {
  const Result<std::string> path = path_of(name);
  if (!path) return path.error();
  return storage::delete_posix(*path);
}

}  // namespace tributary::file
