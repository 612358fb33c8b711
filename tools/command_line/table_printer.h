// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// The first column is aligned left, all others right, two blanks between them.
class TablePrinter {
 public:
  explicit TablePrinter(std::vector<std::string> header);

  // `cells` has as many as the header. "" leaves a cell empty.
  void AddRow(std::vector<std::string> cells);

  // All lines, each with its line end, without blanks at the end of a line.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 as "1,234,567".
std::string WithThousands(uint64_t number);

// `number` with about three significant digits: "0.00123", "1.23", "123",
// "12,346".
std::string ThreeDigits(double number);

// Cuts `text` into lines of at most `width` columns at blanks, all but the
// first indented by `indent` blanks. A word longer than a line stays whole.
std::string WrapText(absl::string_view text, size_t width, size_t indent);

}  // namespace linebloom::tools
