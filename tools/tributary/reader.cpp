#include "reader.hpp"

#include <algorithm>
#include <cmath>

#include "hints/parse.hpp"

namespace tributary::tools {
namespace {

// The value for a sentence; long ones only by their kind.
std::string shown(const nlohmann::json& value) {
  using nlohmann::json;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename Words>
std::string list_of(const Words& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace

void Reader::fail(const std::string& why) const {
  throw JobError((path_.empty() ? "the job file" : path_) + ": " + why);
}

void Reader::expect_keys(std::initializer_list<std::string_view> known) const {
  if (!value_.is_object()) fail(shown(value_) + " is not an object");
  for (const auto& [key, value] : value_.items())
    if (std::ranges::find(known, key) == known.end())
      child(key).fail("there is no such key; allowed: " + list_of(known));
}

Reader Reader::at(const std::string& key) const {
  const std::optional<Reader> found = find(key);
  if (!found) child(key).fail("is missing");
  return *found;
}

std::optional<Reader> Reader::find(const std::string& key) const {
  if (!value_.is_object()) fail(shown(value_) + " is not an object");
  if (!value_.contains(key)) return std::nullopt;
  return child(key);
}

// Without such a key it is this value under the key's path, for a complaint.
Reader Reader::child(const std::string& key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  const auto found = value_.find(key);
  return Reader(found == value_.end() ? value_ : *found, path);
}

std::vector<Reader> Reader::items() const {
  if (!value_.is_array()) fail(shown(value_) + " is not a list");
  std::vector<Reader> readers;
  readers.reserve(value_.size());
  for (std::size_t i = 0; i < value_.size(); ++i)
    readers.emplace_back(value_[i], path_ + "[" + std::to_string(i) + "]");
  return readers;
}

std::int64_t Reader::in_bounds(std::int64_t number, std::int64_t low, std::int64_t high) const {
  const bool small = number < low;
  if (small || number > high)
    fail(std::to_string(number) + " is too " + (small ? "small" : "large") +
         "; allowed: " + std::to_string(low) + " to " + std::to_string(high));
  return number;
}

std::int64_t Reader::integer(std::int64_t low, std::int64_t high) const {
  if (!value_.is_number_integer()) fail(shown(value_) + " is not a whole number");
  if (value_.is_number_unsigned() && value_.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    fail(shown(value_) + " is too large");
  return in_bounds(value_.get<std::int64_t>(), low, high);
}

std::int64_t Reader::integer_from(std::string_view text, std::int64_t low,
                                  std::int64_t high) const {
  return in_bounds(parsed(hints::parse_integer(text)), low, high);
}

ByteCount Reader::bytes(ByteCount low) const {
  if (!value_.is_string()) return integer(low, kBytesMax);
  return in_bounds(parsed(hints::parse_bytes(hints::trimmed(text()))), low, kBytesMax);
}

double Reader::positive_number() const {
  const double number = value_.is_number() ? value_.get<double>() : 0;
  if (!(number > 0) || !std::isfinite(number)) fail(shown(value_) + " is not a number above 0");
  return number;
}

bool Reader::boolean() const {
  if (!value_.is_boolean()) fail(shown(value_) + " is neither true nor false");
  return value_.get<bool>();
}

std::string Reader::text() const {
  if (!value_.is_string()) fail(shown(value_) + " is not a text");
  return value_.get<std::string>();
}

std::size_t Reader::choice(std::span<const std::string_view> choices) const {
  const Result<std::size_t> index = hints::parse_choice(text(), choices);
  if (!index.ok()) fail(index.error().message + "; allowed: " + list_of(choices));
  return *index;
}

std::vector<std::int64_t> Reader::integers(std::int64_t low, std::int64_t high) const {
  std::vector<std::int64_t> numbers;
  for (const Reader& item : items()) numbers.push_back(item.integer(low, high));
  return numbers;
}

ByteCount Reader::product(ByteCount a, ByteCount b) const {
  ByteCount result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > kBytesMax)
    fail("this makes more than 1 EiB, larger than any file");
  return result;
}

ByteCount Reader::sum(ByteCount a, ByteCount b) const {
  ByteCount result = 0;
  if (__builtin_add_overflow(a, b, &result) || result > kBytesMax)
    fail("this makes more than 1 EiB, larger than any file");
  return result;
}

}  // namespace tributary::tools
