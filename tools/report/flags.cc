#include "tools/report/flags.h"

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace linebloom::tools {

bool ParseNumber(std::string text, uint64_t* number) {
  try {
    return CLI::AsSizeValue(/*kb_is_1000=*/true)(text).empty() &&
           absl::SimpleAtoi(text, number);
  } catch (const CLI::ValidationError&) {
    return false;
  }
}

bool ParseNumber(std::string text, double* number) {
  absl::string_view rest = text;
  const bool is_percent = absl::ConsumeSuffix(&rest, "%");
  if (!absl::SimpleAtod(rest, number)) return false;
  if (is_percent) *number /= 100;
  return true;
}

std::string NumberText(uint64_t number, Unit unit) {
  const bool bytes = unit == Unit::kBytes;
  const bool binary = bytes && number % 1000 != 0;
  const uint64_t step = binary ? 1024 : 1000;
  std::string suffix;
  for (const char* next : {binary ? "K" : "k", "M", "G", "T"}) {
    if (number == 0 || number % step != 0) break;
    number /= step;
    suffix = absl::StrCat(next, binary ? "iB" : bytes ? "B" : "");
  }
  return absl::StrCat(number, suffix);
}

std::string NumberText(double number, Unit /*unit*/) {
  return absl::StrCat(number);
}

}  // namespace linebloom::tools
