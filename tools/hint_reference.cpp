// Prints the reference page of the hints: tributary_hint_reference > docs/hints.md
#include <cstdio>

#include "hints/reference.hpp"

int main() {
  return std::fputs(tributary::hints::reference_markdown().c_str(), stdout) < 0 ? 1 : 0;
}
