// Hints files and the environment; what is done with the settings is in resolve.cpp.
#include "hints/sources.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "base/errno_error.hpp"
#include "hints/environment.hpp"

namespace tributary::hints {
namespace {

using std::string_view;

constexpr const char* kSystemHintsFile = "/etc/romio-hints";

// A file that is larger than this, or has a NUL in it, is no hints file but a mistake.
constexpr std::size_t kHintsFileBytesMax = std::size_t{1} << 20;

// The whole file, or nothing and a warning.
std::string read_text(const std::string& path, Warnings& warnings) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kHintsFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    warnings.push_back(errno_error("read the hints file", path, errno != 0 ? errno : EIO).message);
    return {};
  }
  if (text.size() > kHintsFileBytesMax || text.find('\0') != std::string::npos) {
    warnings.push_back(quoted(path) + " is not a hints file");
    return {};
  }
  return text;
}

// '#' begins a comment at the start of a line or after a blank.
string_view without_comment(string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts_word = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t';
    if (line[i] == '#' && starts_word) return line.substr(0, i);
  }
  return line;
}

void read_line(string_view line, const std::string& where, std::vector<Setting>& settings,
               Warnings& warnings) {
  line = trimmed(without_comment(line));
  if (line.empty()) return;
  const string_view key = line.substr(0, line.find_first_of(" \t="));
  string_view value = trimmed(line.substr(key.size()));
  if (value.starts_with('=')) value = trimmed(value.substr(1));
  if (key.empty() || value.empty()) {
    warnings.push_back(where + ": " + quoted(line) + " is not 'key value'");
    return;
  }
  settings.push_back({std::string(key), std::string(value), Origin::hints_file, where});
}

// Position of the first `separator` that no backslash precedes, or the text's size.
std::size_t find_unescaped(string_view text, char separator) {
  std::size_t i = 0;
  while (i < text.size() && text[i] != separator) {
    if (text[i] == '\\') ++i;
    ++i;
  }
  return std::min(i, text.size());
}

// The part before `separator`; `rest` is advanced past it.
string_view take_part(string_view& rest, char separator) {
  const std::size_t end = find_unescaped(rest, separator);
  const string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string unescaped(string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// fnmatch itself takes the backslashes away.
bool matches_path(string_view pattern, string_view path) {
  const std::string glob(pattern);
  const std::string whole(path);
  const std::string last(path.substr(path.find_last_of('/') + 1));
  return fnmatch(glob.c_str(), whole.c_str(), 0) == 0 ||
         fnmatch(glob.c_str(), last.c_str(), 0) == 0;
}

// The "key=value:key=value" of one pattern.
void read_parts(string_view parts, string_view variable, std::vector<Setting>& settings,
                Warnings& warnings) {
  while (!parts.empty()) {
    const string_view part = trimmed(take_part(parts, ':'));
    if (part.empty()) continue;
    const std::size_t equals = find_unescaped(part, '=');
    const string_view key = trimmed(part.substr(0, equals));
    const string_view value = trimmed(part.substr(std::min(equals + 1, part.size())));
    if (key.empty() || value.empty()) {
      warnings.push_back(std::string(variable) + ": " + quoted(part) + " is not key=value");
      continue;
    }
    settings.push_back(
        {unescaped(key), unescaped(value), Origin::environment, std::string(variable)});
  }
}

void append(std::vector<Setting>& settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
}

void add_variable(std::vector<Setting>& settings, const Row& row, const std::string& variable) {
  if (auto value = environment(variable.c_str())) {
    settings.push_back({std::string(row.name), std::move(*value), Origin::environment, variable});
  }
}

void add_patterns(std::vector<Setting>& settings, string_view path, const char* variable,
                  Warnings& warnings) {
  if (const auto text = environment(variable)) {
    append(settings, parse_patterns(*text, path, variable, warnings));
  }
}

}  // namespace

std::vector<Setting> read_hints_file(const std::string& path, Warnings& warnings) {
  std::vector<Setting> settings;
  const std::string text = read_text(path, warnings);
  string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    read_line(rest.substr(0, end), path + " line " + std::to_string(line), settings, warnings);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return settings;
}

// ROMIO's files: of lines with the same key the first one counts, as users of it know.
static std::vector<Setting> read_romio_file(const std::string& path, Warnings& warnings) {
  std::vector<Setting> settings = read_hints_file(path, warnings);
  std::reverse(settings.begin(), settings.end());
  return settings;
}

std::vector<Setting> from_hints_files(Warnings& warnings) {
  const auto romio = environment("ROMIO_HINTS");
  const auto ours = environment("TRIBUTARY_HINTS_FILE");
  if (!romio && !ours) {
    Warnings ignored;  // most systems have no such file
    return read_romio_file(kSystemHintsFile, ignored);
  }
  std::vector<Setting> settings;
  if (romio) append(settings, read_romio_file(*romio, warnings));
  if (ours) append(settings, read_hints_file(*ours, warnings));
  return settings;
}

std::vector<Setting> parse_patterns(string_view text, string_view file_path, string_view variable,
                                    Warnings& warnings) {
  std::vector<Setting> settings;
  while (!text.empty()) {
    const string_view group = trimmed(take_part(text, ','));
    if (group.empty()) continue;
    string_view parts = group;
    const string_view pattern = trimmed(take_part(parts, ':'));
    if (pattern.empty() || trimmed(parts).empty()) {
      warnings.push_back(std::string(variable) + ": " + quoted(group) +
                         " is not pattern:key=value");
      continue;
    }
    std::vector<Setting> of_pattern;
    read_parts(parts, variable, of_pattern, warnings);
    if (matches_path(pattern, file_path)) append(settings, of_pattern);
  }
  return settings;
}

std::vector<Setting> from_environment(string_view file_path, Warnings& warnings) {
  std::vector<Setting> settings;
  for (const Row& row : table()) {
    for (const string_view variable : row.variables) {
      add_variable(settings, row, std::string(variable));
    }
  }
  add_patterns(settings, file_path, "MPICH_MPIIO_HINTS", warnings);
  for (const Row& row : table()) {
    const std::string variable = environment_name(row);
    if (!variable.empty()) add_variable(settings, row, variable);
  }
  add_patterns(settings, file_path, "TRIBUTARY_HINTS", warnings);
  return settings;
}

}  // namespace tributary::hints
