#include "tools/shared/flags.h"

#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr std::array<char, 4> kSuffixes = {'k', 'm', 'g', 't'};

bool IsDigitAt(absl::string_view text, size_t i) {
  return i < text.size() && absl::ascii_isdigit(text[i]);
}

// Removes blanks around the number and separators within it: a comma before
// three digits, because many write 0,5 for 0.5.
std::string Clean(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool in_digits =
        i > 0 && IsDigitAt(text, i - 1) && IsDigitAt(text, i + 1);
    const bool thousands = IsDigitAt(text, i + 2) && IsDigitAt(text, i + 3) &&
                           !IsDigitAt(text, i + 4);
    const bool separates =
        in_digits && (text[i] == '_' || (text[i] == ',' && thousands));
    if (!separates) clean += text[i];
  }
  return clean;
}

// Removes the unit from the end of `text` and returns the number it stands for.
std::optional<double> ConsumeUnit(Unit unit, absl::string_view* text) {
  if (unit == Unit::kShare) return absl::ConsumeSuffix(text, "%") ? 0.01 : 1;
  double step = 1000;
  if (unit == Unit::kBytes && absl::EndsWithIgnoreCase(*text, "b")) {
    text->remove_suffix(1);
    if (absl::EndsWithIgnoreCase(*text, "i")) {
      text->remove_suffix(1);
      step = 1024;
    }
  }
  double factor = 1;
  for (const char suffix : kSuffixes) {
    factor *= step;
    if (!text->empty() && absl::ascii_tolower(text->back()) == suffix) {
      text->remove_suffix(1);
      return factor;
    }
  }
  // "12iB" has no suffix that could be binary.
  if (step == 1024) return std::nullopt;
  return 1;
}

std::optional<double> Parse(absl::string_view text, Unit unit) {
  const std::string clean = Clean(text);
  absl::string_view rest = clean;
  const std::optional<double> factor = ConsumeUnit(unit, &rest);
  double number = 0;
  // (SimpleAtod takes "inf" and "nan" too.)
  if (!factor.has_value() || !absl::SimpleAtod(rest, &number) ||
      !std::isfinite(number)) {
    return std::nullopt;
  }
  return number * *factor;
}

// Keeps every digit of a large number, because in a seed each one matters.
std::optional<uint64_t> ParseWhole(absl::string_view text, Unit unit) {
  uint64_t exact = 0;
  if (absl::SimpleAtoi(Clean(text), &exact)) return exact;
  const std::optional<double> number = Parse(text, unit);
  if (!number.has_value()) return std::nullopt;
  const double whole = std::round(*number);
  if (whole < 0 || whole >= std::exp2(64)) return std::nullopt;
  return static_cast<uint64_t>(whole);
}

// `number` if it is one within the range.
template <typename Number>
absl::StatusOr<Number> Within(const std::optional<Number>& number, Unit unit,
                              Number low, Number high) {
  if (number.has_value() && low <= *number && *number <= high) return *number;
  return absl::InvalidArgumentError(
      absl::StrCat("must be ", RangeText(low, high, unit),
                   unit == Unit::kBytes   ? ", such as 120MB or 114MiB"
                   : unit == Unit::kShare ? ", such as 0.01 or 1%"
                                          : ""));
}

}  // namespace

absl::StatusOr<uint64_t> ParseNumber(absl::string_view text, Unit unit,
                                     uint64_t low, uint64_t high) {
  return Within(ParseWhole(text, unit), unit, low, high);
}

absl::StatusOr<double> ParseNumber(absl::string_view text, Unit unit,
                                   double low, double high) {
  return Within(Parse(text, unit), unit, low, high);
}

std::string NumberText(uint64_t number, Unit unit) {
  const bool bytes = unit == Unit::kBytes;
  const bool binary = bytes && number % 1000 != 0;
  const uint64_t step = binary ? 1024 : 1000;
  std::string suffix;
  for (const char next : kSuffixes) {
    if (number == 0 || number % step != 0) break;
    number /= step;
    suffix = next == 'k' && !binary ? next : absl::ascii_toupper(next);
  }
  if (bytes && !suffix.empty()) suffix += binary ? "iB" : "B";
  return absl::StrCat(WithThousands(number), suffix);
}

std::string NumberText(double number, Unit /*unit*/) {
  return absl::StrCat(number);
}

}  // namespace linebloom::tools
