// Sentences for a person, on stderr and nowhere else: a stranger's stdout is not ours.
#pragma once

#include <string_view>

namespace tributary {

// Prints "tributary: warning: <sentence>". Callers print on one rank only.
void warn(std::string_view sentence);

}  // namespace tributary
