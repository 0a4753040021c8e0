// The hints of one open file: a value and its origin for every row of the table, and the keys
// that no row knows, which are kept and ignored as MPI asks. file/ makes one at open from the
// sources (sources.hpp) and lets the ranks agree on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "hints/parse.hpp"
#include "hints/table.hpp"

namespace tributary::hints {

// Where a value comes from; a later origin overrides an earlier one.
enum class Origin : std::uint8_t { default_value, hints_file, environment, info, library };
std::string_view origin_name(Origin origin);

using KeyValue = std::pair<std::string, std::string>;

class Values {
 public:
  Values();  // the defaults of the table

  // A row whose default is empty has no value until one is set; it then reads 0, false or "".
  bool has_value(Id id) const { return !slot(id).value.text.empty(); }
  std::int64_t integer(Id id) const { return slot(id).value.number; }  // also bytes
  bool flag(Id id) const { return slot(id).value.number != 0; }
  std::string_view text(Id id) const { return slot(id).value.text; }  // any type, canonical
  Origin origin(Id id) const { return slot(id).origin; }

  // The enum is the one of table.hpp that belongs to the row: choice<Switch>(Id::romio_ds_read).
  template <typename Enum>
  Enum choice(Id id) const {
    static_assert(std::is_enum_v<Enum>);
    return static_cast<Enum>(slot(id).value.number);
  }

  // The library's own values, which are right by construction: a number (integer, bytes,
  // boolean, index of a choice), or the text of a row of type text or list.
  void set(Id id, std::int64_t number, Origin origin);
  void set(Id id, std::string_view text, Origin origin);

  // A user's value, under the row's own name or an alias of the row. On an error the value
  // stays as it was, and the message says what is allowed.
  Status set_parsed(Id id, std::string_view text, Origin origin, const Alias* alias = nullptr);

  void keep_unknown(std::string_view key, std::string_view value);
  const std::vector<KeyValue>& unknown() const { return unknown_; }

  // For MPI_File_get_info: each row that has a value, and each alias that the user set it by,
  // so that a program finds the very key it gave.
  std::vector<KeyValue> effective() const;

  // Compact text that carries everything to another rank.
  std::string serialise() const;
  static Result<Values> deserialise(std::string_view text);

  // The rows that ranks must agree on, where these values differ from `other`.
  std::vector<Id> differing(const Values& other) const;
  // Takes over those rows from rank 0's values, and says which. Hints files are read by rank 0
  // alone: where this rank has a mere default, it takes what rank 0 has from a file, in any row.
  std::vector<Id> adopt(const Values& root);

  friend bool operator==(const Values&, const Values&) = default;

 private:
  struct Slot {
    Value value;
    Origin origin = Origin::default_value;
    std::uint32_t aliases_used = 0;  // bit i: set by alias i of the row
    friend bool operator==(const Slot&, const Slot&) = default;
  };
  class Reader;

  const Slot& slot(Id id) const { return slots_[static_cast<std::size_t>(id)]; }
  Slot& slot(Id id) { return slots_[static_cast<std::size_t>(id)]; }
  Status read_hint(Reader& reader);
  Status read_unknown(Reader& reader);

  std::array<Slot, static_cast<std::size_t>(Id::count)> slots_;
  std::vector<KeyValue> unknown_;
};

}  // namespace tributary::hints
