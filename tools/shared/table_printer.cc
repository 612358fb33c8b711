#include "tools/shared/table_printer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace linebloom::tools {

TablePrinter::TablePrinter(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TablePrinter::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TablePrinter::Text() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t c = 0; c < widths.size(); ++c) {
      const std::string padding(widths[c] - row[c].size(), ' ');
      if (c == 0) {
        absl::StrAppend(&line, row[c], padding);
      } else {
        absl::StrAppend(&line, "  ", padding, row[c]);
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string WithThousands(uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (size_t left = digits.size(); left > 3;) {
    left -= 3;
    digits.insert(left, 1, ',');
  }
  return digits;
}

std::string ThreeDigits(double number) {
  if (!std::isfinite(number)) return absl::StrCat(number);
  if (number >= 99.95) return WithThousands(std::llround(number));
  if (number <= 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(number))) + 1;
  return absl::StrFormat("%.*f", std::clamp(3 - before_point, 0, 9), number);
}

std::string WrapText(absl::string_view text, size_t width, size_t indent) {
  std::string wrapped;
  size_t column = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > width) {
      absl::StrAppend(&wrapped, "\n", std::string(indent, ' '));
      column = indent;
    } else if (column > 0) {
      absl::StrAppend(&wrapped, " ");
      ++column;
    }
    absl::StrAppend(&wrapped, word);
    column += word.size();
  }
  return wrapped;
}

}  // namespace linebloom::tools
