// Storage on any POSIX file system, with traits from statfs.
#pragma once

#include <string>

#include "storage/storage.hpp"

namespace tributary::storage {

Result<Opened> open_posix(const std::string& path, const OpenOptions& options);
Status delete_posix(const std::string& path);

}  // namespace tributary::storage
