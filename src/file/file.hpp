// An open file on one rank: what the program sees behind an MPI_File.
// api/ checks the handle and calls one of these; a method that is collective in MPI is
// collective here and returns the same outcome on every rank. open.cpp, manage.cpp,
// view_state.cpp and access.cpp hold the methods.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"
#include "execute/independent.hpp"
#include "file/collective.hpp"
#include "file/errhandler.hpp"
#include "file/team.hpp"
#include "file/view_state.hpp"
#include "hints/sources.hpp"
#include "hints/values.hpp"
#include "plan/independent.hpp"
#include "storage/storage.hpp"

namespace tributary::file {

// Which of the file's pointers a data access goes by.
enum class Pointer : std::uint8_t { explicit_offset, individual };

// One data access as the program asked for it.
struct Call {
  Direction direction = Direction::read;
  Pointer pointer = Pointer::individual;
  bool collective = false;
  MPI_Offset offset = 0;  // in etypes; only with Pointer::explicit_offset
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

class File {
 public:
  // Collective over `comm`. A rank that cannot go on (`before` is an error) takes part all the
  // same, so that the others do not wait for it.
  static Result<std::unique_ptr<File>> open(MPI_Comm comm, const char* name, int amode,
                                            MPI_Info info, const Status& before);
  static Status remove(const char* name);

  // Collective. The file is closed afterwards, whatever is returned.
  Status close();

  const Team& team() const { return team_; }
  int amode() const { return amode_; }
  const std::string& path() const { return storage_->path(); }
  HandlerRef& handler() { return handler_; }

  // Collective.
  Status set_size(MPI_Offset size);
  Status preallocate(MPI_Offset size);
  Status sync();
  Status set_atomicity(bool atomic);
  Status set_info(MPI_Info info);
  Status set_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                  const char* datarep, MPI_Info info);

  // Local.
  Result<MPI_Offset> size();
  bool atomicity() const { return atomic_; }
  MPI_Info info() const;
  // Setting a view while another thread uses the file is the program's mistake, as MPI has it.
  const ViewState& view() const { return *view_; }
  Status seek(MPI_Offset offset, int whence);
  Result<MPI_Offset> position() const;
  Result<MPI_Offset> byte_offset(MPI_Offset offset) const;

  // Moves data; `moved` is what goes into the status, also after an error.
  Status access(const Call& call, ByteCount& moved);

 private:
  File(Team team, std::unique_ptr<storage::Storage> storage, int amode, hints::Values values);

  bool readable() const { return (amode_ & MPI_MODE_WRONLY) == 0; }
  bool writable() const { return (amode_ & MPI_MODE_RDONLY) == 0; }
  Status require_writable(std::string_view action) const;
  Status refuse_sequential() const;
  Status check_new_size(MPI_Offset size, std::string_view action) const;
  // A file that may not be read has no shared locks.
  storage::LockMode shared_mode() const {
    return storage_->readable() ? storage::LockMode::shared : storage::LockMode::exclusive;
  }

  Status preallocate_as_root(FileOffset size);
  Status adopt_hints(std::span<const hints::Setting> settings);
  void fill_informational_hints();
  void refresh_plan_hints();

  Status access_alone(const Call& call, ByteCount& moved);
  Status check_call(const Call& call) const;
  Status prepare(const Call& call, execute::Access& access) const;
  Status access_together(const Call& call, ByteCount& moved);
  bool each_for_itself(Direction direction) const;
  const plan::CollectiveHints& collective_hints(Direction direction) const {
    return collective_hints_[static_cast<std::size_t>(direction)];
  }
  storage::Moved transfer(const execute::Access& access);
  storage::Moved run(const plan::IndependentPlan& plan, const execute::Access& access, Extent span);
  bool may_rewrite(const view::FileView& view) const;
  plan::IndependentFacts facts_of(const view::Tree& tree) const;

  Team team_;
  std::unique_ptr<storage::Storage> storage_;
  int amode_;
  hints::Values hints_;
  plan::IndependentHints independent_hints_;               // what the planner needs of them
  std::array<plan::CollectiveHints, 2> collective_hints_;  // by direction
  plan::Layout layout_;
  Collective collective_;
  HandlerRef handler_;
  bool atomic_ = false;
  bool one_page_cache_ = false;      // every rank sees what another writes at once
  bool owned_ = false;               // this team alone writes the file, see ownership.hpp
  std::shared_mutex rewrite_mutex_;  // like the byte-range locks, between this rank's threads

  std::unique_ptr<const ViewState> view_;
  mutable std::mutex position_mutex_;  // held through an access by the individual pointer
  ByteCount position_ = 0;             // data bytes of the view, a whole number of etypes

  struct {
    std::array<std::atomic<std::uint64_t>, 6> calls{};  // by strategy
    std::atomic<plan::Strategy> strategy{};
    std::atomic<const char*> reason{nullptr};
  } last_;
};

}  // namespace tributary::file
