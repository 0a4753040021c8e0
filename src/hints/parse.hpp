// Text to typed value. Every failure is an Error that says why and what is allowed instead;
// nothing is half understood ("16M" is never 16).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "hints/table.hpp"

namespace tributary::hints {

// Decimal digits with an optional '-'.
Result<std::int64_t> parse_integer(std::string_view text);

// Decimal digits and an optional suffix K M G T P E, each also as KB or KiB, in any case.
// All are powers of 1024, because stripes and buffers are.
Result<std::int64_t> parse_bytes(std::string_view text);

// true/false, yes/no, on/off, 1/0, enable(d)/disable(d), in any case.
Result<bool> parse_boolean(std::string_view text);

// Index of the choice that `text` is, in any case.
Result<std::size_t> parse_choice(std::string_view text, std::span<const std::string_view> choices);

// A value as it is kept: integers, sizes, booleans (0, 1) and indices of choices are in
// `number`; `text` is the one canonical spelling ("16777216", "true", "enable").
struct Value {
  std::int64_t number = 0;
  std::string text;
  friend bool operator==(const Value&, const Value&) = default;
};

// Parses a value that was given under the row's own name, or under one of its aliases.
Result<Value> parse(const Row& row, std::string_view text, const Alias* alias = nullptr);

// The canonical value of a number; the inverse of parse.
Value value_of(const Row& row, std::int64_t number);

// How a canonical value is spelt under an alias: Cray's "2" for "lock_ahead".
std::string_view spelling(std::string_view canonical, const Alias& alias);

// What is allowed, to follow "allowed:" in a warning.
std::string allowed(const Row& row, const Alias* alias = nullptr);

std::string_view trimmed(std::string_view text);  // without blanks at its ends
std::string quoted(std::string_view text);        // 'text'

}  // namespace tributary::hints
