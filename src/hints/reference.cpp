#include "hints/reference.hpp"

#include "hints/parse.hpp"
#include "hints/table.hpp"

namespace tributary::hints {
namespace {

constexpr const char* kIntroduction = R"(# Hints

This page is made from the hint table (`src/hints/table.cpp`) by `tools/hint_reference.cpp`;
do not edit it.

## Where hints come from
A later source overrides an earlier one:

1. the defaults below;
2. a hints file of lines `key value` or `key=value`, with `#` for comments: `ROMIO_HINTS`, then
   `TRIBUTARY_HINTS_FILE`; `/etc/romio-hints` if neither is set;
3. the environment: other libraries' variables for one hint, `MPICH_MPIIO_HINTS`, the hint's own
   variable, `TRIBUTARY_HINTS`;
4. the program's `MPI_Info`.

`TRIBUTARY_HINTS` and `MPICH_MPIIO_HINTS` give hints to files by pattern:
`*.h5:cb_nodes=4:cb_buffer_size=16M,*:direct_io=true`. A pattern is a shell glob that is matched
with the file's path as the program gives it and with its last component; `*` also matches `/`.
A backslash before `,` `:` or `=` takes away its meaning: `*:cb_config_list=*\:2`.

Unknown keys are kept and ignored. A bad value of a known key is ignored with a warning.
Sizes take the suffixes K, M, G, T, P, E, also as KB or KiB; all are powers of 1024. Words are
understood in any case, and true/false, yes/no, on/off, 1/0, enable/disable in place of each other.

## The hints
- *when*: until when a value can be changed: at `open`; `set_view`: a change is used from the next
  `MPI_File_set_view` on; `any` time; `library`: it is filled in by the library, and a value given
  by the user is ignored.
- *ranks*: `same`: rank 0's value counts for all ranks; `own`: each rank has its own.
- *now*: `yes`, or `recorded`: the value is checked, agreed on and returned by
  `MPI_File_get_info`, but nothing uses it yet.

| hint | also known as | type | allowed | default | when | ranks | now | meaning | environment |
|---|---|---|---|---|---|---|---|---|---|
)";

std::string code(std::string_view text) {
  return text.empty() ? "" : std::string("`").append(text).append("`");
}

void add_item(std::string& list, const std::string& item) {
  if (!list.empty() && !item.empty()) list += ", ";
  list += item;
}

std::string alias_text(const Alias& alias) {
  std::string text = code(alias.name);
  std::string values;
  for (const Translation& value : alias.values) {
    add_item(values, std::string(value.from) + " = " + std::string(value.to));
  }
  return values.empty() ? text : text + " (" + values + ")";
}

std::string_view type_name(Type type) {
  constexpr std::string_view kNames[] = {"boolean", "integer", "bytes", "choice", "text", "list"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view scope_name(Scope scope) {
  constexpr std::string_view kNames[] = {"open", "set_view", "any", "library"};
  return kNames[static_cast<std::size_t>(scope)];
}

// Shorter than the sentence of a warning: the column before it says the type.
std::string allowed_text(const Row& row) {
  if (row.type == Type::integer || row.type == Type::bytes) {
    return std::to_string(row.low) + " to " + std::to_string(row.high);
  }
  std::string choices;
  for (const std::string_view choice : row.choices) add_item(choices, std::string(choice));
  return choices.empty() ? allowed(row) : choices;
}

std::string row_text(const Row& row) {
  std::string aliases;
  for (const Alias& alias : row.aliases) add_item(aliases, alias_text(alias));
  std::string variables = code(environment_name(row));
  for (const std::string_view variable : row.variables) add_item(variables, code(variable));
  std::string text;
  for (const std::string& cell :
       {code(row.name), aliases, std::string(type_name(row.type)), allowed_text(row),
        code(row.initial), std::string(scope_name(row.scope)),
        std::string(row.must_agree ? "same" : "own"), std::string(row.acts ? "yes" : "recorded"),
        std::string(row.sentence), variables}) {
    text += "| " + cell + (cell.empty() ? "" : " ");
  }
  return text + "|\n";
}

}  // namespace

std::string reference_markdown() {
  std::string page = kIntroduction;
  for (const Row& row : table()) page += row_text(row);
  return page;
}

}  // namespace tributary::hints
