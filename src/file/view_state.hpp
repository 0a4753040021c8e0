// A view as the program set it: the datatypes to give back, and the decoded form to work by.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "base/result.hpp"
#include "view/file_view.hpp"

namespace tributary::file {

// A datatype that is kept after the program may have freed its own.
class KeptType {
 public:
  explicit KeptType(MPI_Datatype type);
  KeptType(const KeptType&) = delete;
  KeptType& operator=(const KeptType&) = delete;
  ~KeptType();

  // For the program, which frees it unless it is predefined.
  MPI_Datatype give() const;

 private:
  MPI_Datatype type_;
  bool named_;
};

struct ViewState {
  ViewState();  // the view after open: bytes from the start
  ViewState(view::FileView decoded, MPI_Datatype new_etype, MPI_Datatype new_filetype,
            std::string new_datarep);

  view::FileView view;
  KeptType etype;
  KeptType filetype;
  std::string datarep;
  // Some rank may rewrite gaps between pieces: every write of every rank locks.
  bool rewriting = false;
  // Some rank's pieces are small: aggregators may help.
  bool small_pieces = false;
};

Result<view::FileView> decode_view(MPI_Offset displacement, MPI_Datatype etype,
                                   MPI_Datatype filetype, bool writable);

// Representations that this library knows; the others fail with unsupported_datarep.
Status check_datarep(const char* datarep);

}  // namespace tributary::file
