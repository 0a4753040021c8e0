#include "hints/environment.hpp"

#include <cstdlib>

namespace tributary::hints {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace tributary::hints
