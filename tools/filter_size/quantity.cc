#include "tools/filter_size/quantity.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace linebloom::tools {
namespace {

// Without blanks around it and commas between its digits.
std::string Clean(absl::string_view text) {
  return absl::StrReplaceAll(absl::StripAsciiWhitespace(text), {{",", ""}});
}

std::optional<double> ParseNumber(absl::string_view text) {
  double number = 0;
  // (SimpleAtod takes "inf" and "nan" too.)
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) return {};
  return number;
}

// Takes the unit off the end of `text` and returns how many it stands for: 1 if
// there is none.
double ConsumeUnit(double step, std::string* text) {
  double factor = 1;
  for (const char unit : {'k', 'm', 'g', 't'}) {
    factor *= step;
    if (!text->empty() && absl::ascii_tolower(text->back()) == unit) {
      text->pop_back();
      return factor;
    }
  }
  return 1;
}

std::optional<uint64_t> ParseWithUnit(std::string text, double step) {
  const double factor = ConsumeUnit(step, &text);
  const std::optional<double> number = ParseNumber(text);
  if (!number.has_value()) return {};
  const double product = std::round(*number * factor);
  if (product < 0 || product >= std::exp2(63)) return {};
  return static_cast<uint64_t>(product);
}

}  // namespace

std::optional<uint64_t> ParseCount(absl::string_view text) {
  return ParseWithUnit(Clean(text), 1000);
}

std::optional<uint64_t> ParseBytes(absl::string_view text) {
  std::string clean = Clean(text);
  if (absl::EndsWithIgnoreCase(clean, "ib")) {
    clean.resize(clean.size() - 2);
    // "12iB" has no unit that could be binary.
    if (!clean.empty() && absl::ascii_isdigit(clean.back())) return {};
    return ParseWithUnit(std::move(clean), 1024);
  }
  if (absl::EndsWithIgnoreCase(clean, "b")) clean.pop_back();
  return ParseWithUnit(std::move(clean), 1000);
}

std::optional<double> ParseShare(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const bool percent = absl::ConsumeSuffix(&text, "%");
  const std::optional<double> number =
      ParseNumber(absl::StripTrailingAsciiWhitespace(text));
  if (!number.has_value()) return {};
  return percent ? *number / 100 : *number;
}

}  // namespace linebloom::tools
