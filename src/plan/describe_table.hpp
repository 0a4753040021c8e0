// Columns of text, aligned, for a terminal.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tributary::plan {

class TextTable {
 public:
  using Cells = std::vector<std::string>;

  // The columns from the first left one on are flush left, all others flush right.
  explicit TextTable(std::size_t left_from = SIZE_MAX) : left_from_(left_from) {}

  void add(Cells cells) { rows_.push_back(std::move(cells)); }
  // A line of its own, as where rows are left out.
  void say(std::string line) { rows_.push_back({std::move(line)}); }

  std::string str() const {
    const std::vector<std::size_t> widths = column_widths();
    std::string text;
    for (const Cells& row : rows_) {
      std::string line = row.size() == 1 ? "  " + row[0] : "";
      for (std::size_t i = 0; i < row.size() && row.size() > 1; ++i) {
        const std::string pad(widths[i] - row[i].size(), ' ');
        line += "  " + (i < left_from_ ? pad + row[i] : row[i] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::size_t> column_widths() const {
    std::vector<std::size_t> widths;
    for (const Cells& row : rows_) {
      if (row.size() == 1) continue;
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    return widths;
  }

  std::size_t left_from_;
  std::vector<Cells> rows_;
};

}  // namespace tributary::plan
