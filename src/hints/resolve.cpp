// Settings become Values: which of them counts, and what is said about a bad one.
#include <algorithm>

#include "hints/sources.hpp"

namespace tributary::hints {
namespace {

// Settings are applied in this order; equal ones stay in the order given.
int precedence(const Setting& setting) {
  const Row* row = find(setting.key);
  const bool own_name = row != nullptr && row->name == setting.key;
  const bool beats_aliases = setting.origin == Origin::info && own_name;
  return 2 * static_cast<int>(setting.origin) + (beats_aliases ? 1 : 0);
}

bool is_open_to(const Row& row, Moment moment) {
  if (row.scope == Scope::informational) return false;
  return moment == Moment::open || row.scope != Scope::open;
}

void apply_one(Values& values, const Setting& setting, Moment moment, Warnings& warnings) {
  const std::vector<Match> found = matches(setting.key);
  if (found.empty()) values.keep_unknown(setting.key, setting.value);
  for (const auto& [row, alias] : found) {
    if (!is_open_to(*row, moment)) continue;
    const Status status = values.set_parsed(row->id, setting.value, setting.origin, alias);
    if (!status.ok()) {
      warnings.push_back("hint " + setting.key + "=" + setting.value + " from " + setting.where +
                         " is ignored: " + status.error().message);
      return;  // the other rows of the alias would say the same
    }
  }
}

}  // namespace

void apply(Values& values, std::span<const Setting> settings, Moment moment, Warnings& warnings) {
  std::vector<const Setting*> ordered;
  for (const Setting& setting : settings) ordered.push_back(&setting);
  std::ranges::stable_sort(ordered, {}, [](const Setting* one) { return precedence(*one); });
  for (const Setting* setting : ordered) apply_one(values, *setting, moment, warnings);
}

Values resolve(std::span<const Setting> settings, Warnings& warnings) {
  Values values;
  apply(values, settings, Moment::open, warnings);
  return values;
}

}  // namespace tributary::hints
