// The text form of Values, by which rank 0's hints reach the other ranks:
//
//   text   = { hint | unknown }
//   hint   = "h" id origin aliases value      only rows that are not at their default
//   unknown= "u" key value
//
// where each part is a netstring, "<length>:<bytes>", so that values may hold any byte.
// Reading trusts nothing: a text that was cut or mixed up is an Error, never a wrong hint.
#include <charconv>
#include <optional>

#include "hints/values.hpp"

namespace tributary::hints {
namespace {

void put(std::string& out, std::string_view field) {
  out += std::to_string(field.size());
  out += ':';
  out += field;
}

void put(std::string& out, std::uint32_t number) {
  put(out, std::string_view(std::to_string(number)));
}

Error malformed(std::string_view what) {
  return {ErrorKind::info, "hints from another rank are malformed: " + std::string(what)};
}

}  // namespace

class Values::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  std::optional<std::string_view> field() {
    std::size_t length = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data(), end, length);
    if (error != std::errc() || stop == end || *stop != ':') return std::nullopt;
    if (length > static_cast<std::size_t>(end - stop - 1)) return std::nullopt;
    const std::string_view bytes(stop + 1, length);
    rest_ =
        std::string_view(bytes.data() + length, static_cast<std::size_t>(end - stop - 1) - length);
    return bytes;
  }

  // A number below `limit`.
  std::optional<std::uint32_t> number(std::uint64_t limit) {
    const std::optional<std::string_view> digits = field();
    if (!digits) return std::nullopt;
    const Result<std::int64_t> value = parse_integer(*digits);
    if (!value.ok() || *value < 0 || static_cast<std::uint64_t>(*value) >= limit) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(*value);
  }

 private:
  std::string_view rest_;
};

std::string Values::serialise() const {
  static const Values kDefaults;
  std::string out;
  for (const Row& row : table()) {
    const Slot& mine = slot(row.id);
    if (mine == kDefaults.slot(row.id)) continue;
    put(out, "h");
    put(out, static_cast<std::uint32_t>(row.id));
    put(out, static_cast<std::uint32_t>(mine.origin));
    put(out, mine.aliases_used);
    put(out, mine.value.text);
  }
  for (const auto& [key, value] : unknown_) {
    put(out, "u");
    put(out, key);
    put(out, value);
  }
  return out;
}

Result<Values> Values::deserialise(std::string_view text) {
  Values values;
  for (Reader reader(text); !reader.done();) {
    const std::optional<std::string_view> kind = reader.field();
    Status status = malformed("no such record");
    if (kind == "h") status = values.read_hint(reader);
    if (kind == "u") status = values.read_unknown(reader);
    if (!status.ok()) return status.error();
  }
  return values;
}

Status Values::read_hint(Reader& reader) {
  const auto index = reader.number(slots_.size());
  if (!index) return malformed("no such hint");
  const Row& target = row(static_cast<Id>(*index));
  const auto origin = reader.number(static_cast<std::uint64_t>(Origin::library) + 1);
  const auto aliases_used = reader.number(std::uint64_t{1} << target.aliases.size());
  const auto text = reader.field();
  if (!origin || !aliases_used || !text) return malformed(target.name);
  Result<Value> value = parse(target, *text);
  // Text is kept as it is, also with blanks at its ends or empty.
  if (target.type == Type::text || target.type == Type::list) value = Value{0, std::string(*text)};
  if (!value.ok() || value->text != *text) return malformed(target.name);
  slot(target.id) = {std::move(*value), static_cast<Origin>(*origin), *aliases_used};
  return {};
}

Status Values::read_unknown(Reader& reader) {
  const auto key = reader.field();
  const auto value = reader.field();
  if (!key || !value) return malformed("an unknown key");
  keep_unknown(*key, *value);
  return {};
}

}  // namespace tributary::hints
