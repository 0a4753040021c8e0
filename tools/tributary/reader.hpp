// A value of a JSON file together with its path, so that every complaint names the place:
// "access.grid[1]: 0 is too small". Complaints are thrown as JobError and caught in one place,
// read_job: a reader that returned results would drown what it reads in checks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace tributary::tools {

class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// No place of a file may lie behind this: sums of two stay below kOffsetLimit.
inline constexpr std::int64_t kBytesMax = kOffsetLimit / 2;

// It keeps a reference: the document must outlive it.
class Reader {
 public:
  explicit Reader(const nlohmann::json& value, std::string path = {})
      : value_(value), path_(std::move(path)) {}

  const nlohmann::json& value() const { return value_; }
  [[noreturn]] void fail(const std::string& why) const;

  // Objects. The keys that may be there are said first, so that no misspelt one is overlooked.
  void expect_keys(std::initializer_list<std::string_view> known) const;
  Reader at(const std::string& key) const;
  std::optional<Reader> find(const std::string& key) const;

  std::vector<Reader> items() const;  // of an array

  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  ByteCount bytes(ByteCount low = 0) const;  // 65536, "64K" or "64KiB"
  double positive_number() const;
  bool boolean() const;
  std::string text() const;
  std::size_t choice(std::span<const std::string_view> choices) const;
  std::vector<std::int64_t> integers(std::int64_t low, std::int64_t high) const;

  // The same for text that is part of a value, such as the 4 of "cyclic(4)".
  std::int64_t integer_from(std::string_view text, std::int64_t low, std::int64_t high) const;

  // a * b, or a complaint that no file is as large.
  ByteCount product(ByteCount a, ByteCount b) const;
  ByteCount sum(ByteCount a, ByteCount b) const;

 private:
  Reader child(const std::string& key) const;
  std::int64_t in_bounds(std::int64_t number, std::int64_t low, std::int64_t high) const;
  template <typename T>
  T parsed(const Result<T>& result) const {
    if (!result.ok()) fail(result.error().message);
    return *result;
  }

  const nlohmann::json& value_;
  std::string path_;
};

}  // namespace tributary::tools
