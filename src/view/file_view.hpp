// A file view: displacement, etype and a file type that repeats without end.
// Positions in a view count data bytes; the tree says where in the file they lie.
#pragma once

#include "base/result.hpp"
#include "view/tree.hpp"

namespace tributary::view {

class FileView {
 public:
  // The default view: bytes from the start of the file.
  FileView();
  // Refuses a file type that steps back, and for files that are written one that overlaps
  // itself (MPI-4.0 section 14.3); negative displacements; no whole number of etypes.
  static Result<FileView> make(FileOffset displacement, const Type& etype, const Type& filetype,
                               bool writable);

  FileOffset displacement() const { return displacement_; }
  ByteCount etype_size() const { return etype_size_; }
  std::int64_t filetype_extent() const { return filetype_extent_; }
  // The repeated file type, placed at the displacement: absolute file offsets.
  const Tree& tree() const { return tree_; }
  // All data of the view is one run: position p lies at tree().at + p.
  bool contiguous() const { return tree_.is_block(); }

  FileOffset offset_of(ByteCount position) const;
  // The first position, a whole number of etypes, at which nothing of [0, end) lies ahead.
  ByteCount position_of_end(FileOffset end) const;

 private:
  FileOffset displacement_ = 0;
  ByteCount etype_size_ = 1;
  std::int64_t filetype_extent_ = 1;
  Tree tree_;
};

}  // namespace tributary::view
