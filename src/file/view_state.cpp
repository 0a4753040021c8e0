#include "file/view_state.hpp"

#include <utility>

#include "file/file.hpp"
#include "mpi/decode.hpp"

namespace tributary::file {
namespace {

MPI_Datatype duplicate(MPI_Datatype type) {
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  PMPI_Type_dup(type, &copy);
  return copy;
}

}  // namespace

KeptType::KeptType(MPI_Datatype type)
    : type_(type), named_(type == MPI_BYTE || mpi::is_named(type)) {
  if (!named_) type_ = duplicate(type);
}

KeptType::~KeptType() {
  if (!named_) PMPI_Type_free(&type_);
}

MPI_Datatype KeptType::give() const {
  return named_ ? type_ : duplicate(type_);
}

ViewState::ViewState() : etype(MPI_BYTE), filetype(MPI_BYTE), datarep("native") {}

ViewState::ViewState(view::FileView decoded, MPI_Datatype new_etype, MPI_Datatype new_filetype,
                     std::string new_datarep)
    : view(std::move(decoded)),
      etype(new_etype),
      filetype(new_filetype),
      datarep(std::move(new_datarep)) {}

Result<view::FileView> decode_view(MPI_Offset displacement, MPI_Datatype etype,
                                   MPI_Datatype filetype, bool writable) {
  const Result<const view::Type*> elementary = mpi::decode(etype);
  if (!elementary) return elementary.error();
  const Result<const view::Type*> pattern = mpi::decode(filetype);
  if (!pattern) return pattern.error();
  return view::FileView::make(displacement, **elementary, **pattern, writable);
}

// "internal" may be anything that all ranks of one job read alike: the native form.
Status check_datarep(const char* datarep) {
  if (datarep == nullptr) return Error{ErrorKind::argument, "the data representation is null"};
  const std::string name = datarep;
  if (name == "native" || name == "internal") return {};
  return Error{ErrorKind::unsupported_datarep,
               "the data representation '" + name.substr(0, 64) + "' is not supported"};
}

Status File::set_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* datarep, MPI_Info info) {
  const auto prepare = [&]() -> Result<view::FileView> {
    if (Status known = check_datarep(datarep); !known) return known.error();
    if (displacement == MPI_DISPLACEMENT_CURRENT)
      return Error{ErrorKind::unsupported_operation,
                   "MPI_DISPLACEMENT_CURRENT is only for files opened with MPI_MODE_SEQUENTIAL"};
    Result<view::FileView> decoded = decode_view(displacement, etype, filetype, writable());
    return decoded.ok() ? decoded : decoded.error();
  };
  const Result<view::FileView> mine = prepare();
  const Status status = mine.ok() ? Status() : Status(mine.error());
  const std::int64_t etype_size = mine.ok() ? mine->etype_size() : 0;
  const bool small =
      mine.ok() && !mine->contiguous() && plan::small_pieces(mine->tree().mean_run());
  std::int64_t on_some_rank[] = {mine.ok() && may_rewrite(*mine) ? 1 : 0, small ? 1 : 0};
  if (Status agreed = team_.agree_on(status, {&etype_size, 1}, on_some_rank); !agreed)
    return agreed;
  if (Status adopted = set_info(info); !adopted) return adopted;

  auto fresh = std::make_unique<ViewState>(*mine, etype, filetype, datarep);
  fresh->rewriting = on_some_rank[0] != 0;
  fresh->small_pieces = on_some_rank[1] != 0;
  collective_.forget_views();
  const std::scoped_lock guard(position_mutex_);
  view_ = std::move(fresh);
  position_ = 0;
  return {};
}

Status File::seek(MPI_Offset offset, int whence) {
  if (Status random = refuse_sequential(); !random) return random;
  const ByteCount etype_size = view_->view.etype_size();
  const std::scoped_lock guard(position_mutex_);
  MPI_Offset base = 0;
  if (whence == MPI_SEEK_CUR) {
    base = position_ / etype_size;
  } else if (whence == MPI_SEEK_END) {
    const Result<MPI_Offset> end = size();
    if (!end) return end.error();
    base = view_->view.position_of_end(*end) / etype_size;
  } else if (whence != MPI_SEEK_SET) {
    return Error{ErrorKind::argument, "whence is none of MPI_SEEK_SET, _CUR and _END"};
  }
  if (offset < -base || offset > kOffsetLimit / etype_size - base)
    return Error{ErrorKind::argument, "the pointer would be before the start of the view"};
  position_ = (base + offset) * etype_size;
  return {};
}

Result<MPI_Offset> File::position() const {
  if (Status random = refuse_sequential(); !random) return random.error();
  const std::scoped_lock guard(position_mutex_);
  return position_ / view_->view.etype_size();
}

Result<MPI_Offset> File::byte_offset(MPI_Offset offset) const {
  const view::FileView& view = view_->view;
  if (offset < 0 || offset >= view.tree().size() / view.etype_size())
    return Error{ErrorKind::argument, "the offset is outside the view"};
  return view.offset_of(offset * view.etype_size());
}

}  // namespace tributary::file
