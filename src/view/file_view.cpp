#include "view/file_view.hpp"

#include <algorithm>

#include "view/build.hpp"
#include "view/count.hpp"
#include "view/cursor.hpp"

namespace tributary::view {
namespace {

Error refused(const char* why) {
  return {ErrorKind::type, std::string("the file type cannot be used as a view: ") + why};
}

Status check(const Type& etype, const Type& filetype, bool writable) {
  if (etype.size() == 0) return refused("the etype holds no data");
  if (filetype.size() % etype.size() != 0)
    return refused("it is not made of a whole number of etypes");
  if (filetype.tree.empty()) return {};
  if (filetype.tree.lower() < 0) return refused("it has a negative displacement");
  if (filetype.extent < 0) return refused("it has a negative extent");
  if (!filetype.tree.node->nondecreasing) return refused("its displacements decrease");
  if (writable && !filetype.tree.node->ascending)
    return refused("it overlaps itself, and the file is open for writing");
  return {};
}

// As many copies as fit below kOffsetLimit, in data bytes and in file offsets alike.
std::int64_t copies_of(const Type& filetype, FileOffset displacement) {
  const std::int64_t room = kOffsetLimit - displacement - filetype.tree.upper();
  const std::int64_t step =
      std::max<std::int64_t>({filetype.extent, filetype.size(), filetype.tree.node->runs, 1});
  return std::max<std::int64_t>(room / step, 1);
}

}  // namespace

FileView::FileView() : tree_(make_block(kOffsetLimit)) {}

Result<FileView> FileView::make(FileOffset displacement, const Type& etype, const Type& filetype,
                                bool writable) {
  if (displacement < 0 || displacement >= kOffsetLimit / 2)
    return Error{ErrorKind::argument, "the displacement of a view must not be negative or huge"};
  if (Status checked = check(etype, filetype, writable); !checked) return checked.error();
  FileView view;
  view.displacement_ = displacement;
  view.etype_size_ = etype.size();
  view.filetype_extent_ = filetype.extent;
  view.tree_ = filetype.tree.empty()
                   ? Tree{}
                   : make_repeated(filetype, copies_of(filetype, displacement)).moved(displacement);
  return view;
}

FileOffset FileView::offset_of(ByteCount position) const {
  if (contiguous()) return tree_.at + position;
  return Cursor(tree_, position).offset();
}

ByteCount FileView::position_of_end(FileOffset end) const {
  const ByteCount before = data_before(tree_, end);
  return (before + etype_size_ - 1) / etype_size_ * etype_size_;
}

}  // namespace tributary::view
