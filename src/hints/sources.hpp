// Where hints come from, and how they become the Values of a file. A later source wins:
//
//   defaults of the table
//   hints files    ROMIO_HINTS, then TRIBUTARY_HINTS_FILE; /etc/romio-hints if neither is named
//   environment    other libraries' variables for one hint (MPICH_MPIIO_CB_ALIGN),
//                  MPICH_MPIIO_HINTS, TRIBUTARY_<NAME>, TRIBUTARY_HINTS
//   MPI_Info       of the program; the caller makes the Settings
//
// Nothing here prints: warnings are sentences that the caller prints on one rank.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hints/values.hpp"

namespace tributary::hints {

struct Setting {
  std::string key;
  std::string value;
  Origin origin = Origin::info;
  std::string where;  // "TRIBUTARY_HINTS", "/home/me/hints line 3", "MPI_Info"
};

using Warnings = std::vector<std::string>;

std::vector<Setting> from_hints_files(Warnings& warnings);

// One file of lines "key value" or "key=value"; '#' begins a comment.
std::vector<Setting> read_hints_file(const std::string& path, Warnings& warnings);

// `file_path` is the name of the file to open, as the program gave it.
std::vector<Setting> from_environment(std::string_view file_path, Warnings& warnings);

// Cray's syntax "pattern:key=value:key=value,pattern:key=value": the settings of every pattern
// that matches the path or its last component, where '*' matches '/' too. A backslash before
// ',' ':' or '=' takes away its meaning. What is malformed is skipped with a warning.
std::vector<Setting> parse_patterns(std::string_view text, std::string_view file_path,
                                    std::string_view variable, Warnings& warnings);

// At open every hint may be set; later those of scope `open` keep their value, silently.
enum class Moment : std::uint8_t { open, later };

// Applies settings in the order of their origins, and else in the order given. Of a program's
// own keys (MPI_Info has no order) a hint's name counts more than its aliases. A bad value
// gives a warning and changes nothing; an unknown key is kept.
void apply(Values& values, std::span<const Setting> settings, Moment moment, Warnings& warnings);

// The values at open: the defaults, and `settings` applied.
Values resolve(std::span<const Setting> settings, Warnings& warnings);

}  // namespace tributary::hints
