// See parse.hpp. std::from_chars reports overflow and trailing junk, which atoi does not.
#include "hints/parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace tributary::hints {
namespace {

using std::string_view;

Error bad_value(std::string message) {
  return {ErrorKind::info, std::move(message)};
}

// ASCII only, whatever the program's locale.
char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(string_view a, string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The leading integer of `text`, which is advanced past it.
Result<std::int64_t> take_integer(string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return bad_value(quoted(text) + " is too large");
  if (error != std::errc()) return bad_value(quoted(text) + " is not a number");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// log2 of the unit, or -1 when it is none.
int unit_shift(string_view unit) {
  if (unit.empty() || same_word(unit, "b")) return 0;
  const std::size_t power = string_view("kmgtpe").find(lower(unit.front()));
  const string_view rest = unit.substr(1);
  const bool known = rest.empty() || same_word(rest, "b") || same_word(rest, "ib");
  return power == string_view::npos || !known ? -1 : static_cast<int>(power + 1) * 10;
}

string_view translated(string_view text, std::span<const Translation> words) {
  const auto found = std::ranges::find_if(
      words, [&](const Translation& word) { return same_word(word.from, text); });
  return found == words.end() ? text : found->to;
}

Result<Value> in_bounds(const Row& row, const Result<std::int64_t>& number) {
  if (!number.ok()) return number.error();
  if (*number < row.low) return bad_value(std::to_string(*number) + " is too small");
  if (*number > row.high) return bad_value(std::to_string(*number) + " is too large");
  return value_of(row, *number);
}

Result<Value> parse_list(string_view text) {
  Value list;
  for (string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const string_view item = trimmed(rest.substr(0, comma));
    if (item.empty()) return bad_value(quoted(text) + " has an empty item");
    list.text += item;
    if (comma == string_view::npos) return list;
    list.text += ',';
    rest.remove_prefix(comma + 1);
  }
}

Result<Value> parse_by_type(const Row& row, string_view text) {
  switch (row.type) {
    case Type::boolean: {
      const Result<bool> flag = parse_boolean(text);
      return flag.ok() ? Result<Value>(value_of(row, *flag ? 1 : 0)) : flag.error();
    }
    case Type::integer:
      return in_bounds(row, parse_integer(text));
    case Type::bytes:
      return in_bounds(row, parse_bytes(text));
    case Type::choice: {
      const Result<std::size_t> index = parse_choice(text, row.choices);
      if (!index.ok()) return index.error();
      return value_of(row, static_cast<std::int64_t>(*index));
    }
    case Type::list:
      return parse_list(text);
    case Type::text:
      break;
  }
  return Value{0, std::string(text)};
}

template <typename Range, typename Projection>
std::string one_of(const Range& range, Projection word) {
  std::string words = "one of";
  const char* separator = " ";
  for (const auto& item : range) {
    words += separator;
    words += word(item);
    separator = ", ";
  }
  return words;
}

std::string bounds(const Row& row, const char* unit) {
  return "from " + std::to_string(row.low) + " to " + std::to_string(row.high) + unit;
}

}  // namespace

std::string quoted(string_view text) {
  return std::string("'").append(text).append("'");
}

string_view trimmed(string_view text) {
  constexpr string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Result<std::int64_t> parse_integer(string_view text) {
  string_view rest = text;
  Result<std::int64_t> number = take_integer(rest);
  if (number.ok() && !rest.empty()) return bad_value(quoted(text) + " is not an integer");
  return number;
}

Result<std::int64_t> parse_bytes(string_view text) {
  string_view rest = text;
  const Result<std::int64_t> number = take_integer(rest);
  if (!number.ok()) return number.error();
  const int shift = unit_shift(trimmed(rest));
  if (shift < 0 || *number < 0) return bad_value(quoted(text) + " is not a size");
  if (*number > std::numeric_limits<std::int64_t>::max() >> shift) {
    return bad_value(quoted(text) + " is too large");
  }
  return *number << shift;
}

Result<bool> parse_boolean(string_view text) {
  constexpr std::array<string_view, 6> kTrue{"true", "yes", "on", "1", "enable", "enabled"};
  constexpr std::array<string_view, 6> kFalse{"false", "no", "off", "0", "disable", "disabled"};
  const auto is_text = [&](string_view word) { return same_word(word, text); };
  if (std::ranges::any_of(kTrue, is_text)) return true;
  if (std::ranges::any_of(kFalse, is_text)) return false;
  return bad_value(quoted(text) + " is neither true nor false");
}

Result<std::size_t> parse_choice(string_view text, std::span<const string_view> choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (same_word(choices[i], text)) return i;
  }
  return bad_value(quoted(text) + " is not a choice");
}

Result<Value> parse(const Row& row, string_view text, const Alias* alias) {
  string_view canonical = trimmed(text);
  if (alias != nullptr) canonical = translated(canonical, alias->values);
  canonical = translated(canonical, row.synonyms);
  Result<Value> value = parse_by_type(row, canonical);
  if (!value.ok()) value.error().message += "; allowed: " + allowed(row, alias);
  return value;
}

Value value_of(const Row& row, std::int64_t number) {
  if (row.type == Type::boolean) return {number, number != 0 ? "true" : "false"};
  if (row.type == Type::choice) {
    return {number, std::string(row.choices[static_cast<std::size_t>(number)])};
  }
  return {number, std::to_string(number)};
}

string_view spelling(string_view canonical, const Alias& alias) {
  const auto found = std::ranges::find(alias.values, canonical, &Translation::to);
  return found == alias.values.end() ? canonical : found->from;
}

std::string allowed(const Row& row, const Alias* alias) {
  if (alias != nullptr && !alias->values.empty()) {
    return one_of(alias->values, [](const Translation& word) { return word.from; });
  }
  switch (row.type) {
    case Type::boolean:
      return "true or false";
    case Type::integer:
      return "an integer " + bounds(row, "");
    case Type::bytes:
      return "a size " + bounds(row, " bytes") + ", such as 65536, 64K or 64KiB";
    case Type::choice:
      return one_of(row.choices, [](string_view choice) { return choice; });
    case Type::list:
      return "a comma-separated list";
    case Type::text:
      break;
  }
  return "any text";
}

}  // namespace tributary::hints
