// docs/hints.md, made from the table (tools/hint_reference.cpp prints it).
#pragma once

#include <string>

namespace tributary::hints {

std::string reference_markdown();

}  // namespace tributary::hints
