// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Aligns the first column left and all others right, with two blanks between
// them.
class TablePrinter {
 public:
  explicit TablePrinter(std::vector<std::string> header);

  // `cells` must have as many elements as the header. "" is an empty cell.
  void AddRow(std::vector<std::string> cells);

  // All lines with their line ends, without trailing blanks.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 as "1,234,567".
std::string WithThousands(uint64_t number);

// `number` with about three significant digits: "0.00123", "1.23", "123",
// "12,346".
std::string ThreeDigits(double number);

// Wraps `text` at blanks into lines of at most `width` columns. Indents all but
// the first by `indent` blanks. Longer words stay whole.
std::string WrapText(absl::string_view text, size_t width, size_t indent);

}  // namespace linebloom::tools
