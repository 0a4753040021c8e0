// A tree as a list of numbers, to travel to another rank. Shared nodes are written once, so the
// size is that of the canonical form: a few words for a regular type of any extent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/tree.hpp"

namespace tributary::view {

std::vector<std::int64_t> serialise(const Tree& tree);
// The words must come from serialise(): they are the library's own, not a user's input.
Tree deserialise(std::span<const std::int64_t> words);

}  // namespace tributary::view
