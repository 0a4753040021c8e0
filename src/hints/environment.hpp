// The only door to the process's environment: std::getenv appears in environment.cpp alone.
#pragma once

#include <optional>
#include <string>

namespace tributary::hints {

// The variable's value, copied; nothing when it is not set or is empty.
std::optional<std::string> environment(const char* name);

}  // namespace tributary::hints
