// See values.hpp; the text form for broadcasting is in values_text.cpp.
#include "hints/values.hpp"

#include <algorithm>
#include <cassert>

namespace tributary::hints {

std::string_view origin_name(Origin origin) {
  constexpr std::array<std::string_view, 5> kNames{"default", "hints file", "environment",
                                                   "MPI_Info", "library"};
  return kNames[static_cast<std::size_t>(origin)];
}

Values::Values() {
  for (const Row& row : table()) {
    if (row.initial.empty()) continue;
    Result<Value> value = parse(row, row.initial);
    assert(value.ok() && value->text == row.initial);  // the table's own text
    if (value.ok()) slot(row.id).value = std::move(*value);
  }
}

void Values::set(Id id, std::int64_t number, Origin origin) {
  const Row& target = row(id);
  assert(target.type != Type::text && target.type != Type::list);
  assert(target.type != Type::choice || static_cast<std::size_t>(number) < target.choices.size());
  slot(id).value = value_of(target, number);
  slot(id).origin = origin;
}

void Values::set(Id id, std::string_view text, Origin origin) {
  assert(row(id).type == Type::text || row(id).type == Type::list);
  slot(id).value = Value{0, std::string(text)};
  slot(id).origin = origin;
}

Status Values::set_parsed(Id id, std::string_view text, Origin origin, const Alias* alias) {
  const Row& target = row(id);
  Result<Value> value = parse(target, text, alias);
  if (!value.ok()) return value.error();
  Slot& changed = slot(id);
  changed.value = std::move(*value);
  changed.origin = origin;
  if (alias != nullptr) changed.aliases_used |= 1U << (alias - target.aliases.data());
  return {};
}

void Values::keep_unknown(std::string_view key, std::string_view value) {
  const auto found = std::ranges::find(unknown_, key, &KeyValue::first);
  if (found != unknown_.end()) {
    found->second = value;
  } else {
    unknown_.emplace_back(key, value);
  }
}

std::vector<KeyValue> Values::effective() const {
  std::vector<KeyValue> pairs;
  for (const Row& row : table()) {
    if (!has_value(row.id)) continue;
    pairs.emplace_back(row.name, text(row.id));
    for (std::size_t i = 0; i < row.aliases.size(); ++i) {
      const Alias& alias = row.aliases[i];
      const bool used = (slot(row.id).aliases_used >> i & 1U) != 0;
      // An alias of two rows is reported once, with the value of the first.
      const auto is_alias = [&](const KeyValue& pair) { return pair.first == alias.name; };
      if (used && std::ranges::none_of(pairs, is_alias)) {
        pairs.emplace_back(alias.name, spelling(text(row.id), alias));
      }
    }
  }
  return pairs;
}

std::vector<Id> Values::differing(const Values& other) const {
  std::vector<Id> ids;
  for (const Row& row : table()) {
    if (row.must_agree && text(row.id) != other.text(row.id)) ids.push_back(row.id);
  }
  return ids;
}

std::vector<Id> Values::adopt(const Values& root) {
  std::vector<Id> ids = differing(root);
  for (const Row& row : table()) {
    const Slot& theirs = root.slot(row.id);
    Slot& mine = slot(row.id);
    const bool from_file =
        theirs.origin == Origin::hints_file && mine.origin == Origin::default_value;
    if (!from_file && std::ranges::find(ids, row.id) == ids.end()) continue;
    mine.value = theirs.value;
    mine.origin = theirs.origin;
  }
  return ids;
}

}  // namespace tributary::hints
