#include "base/log.hpp"

#include <cstdio>

namespace tributary {

void warn(std::string_view sentence) {
  std::fprintf(stderr, "tributary: warning: %.*s\n", static_cast<int>(sentence.size()),
               sentence.data());
}

}  // namespace tributary
