// Flags whose values are numbers as CLI11 reads them: 100000000, 100M, 64KiB;
// and shares, which may be percentages.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// What a number counts.
enum class Unit {
  kNone,
  kBytes,
  kShare,  // of 1
};

// False if `text` is no such number. Whole ones may end with k, M, G, T for
// powers of 1000 and Ki to Ti for powers of 1024, with or without a B and in
// upper or lower case; others with % for a hundredth.
bool ParseNumber(std::string text, uint64_t* number);
bool ParseNumber(std::string text, double* number);

// 2000000 as "2M", 65536 bytes as "64KiB": short, and accepted by
// ParseNumber().
std::string NumberText(uint64_t number, Unit unit);
std::string NumberText(double number, Unit unit);

// "1k to 1G", "64KiB or more", "any whole number".
template <typename Number>
std::string RangeText(Number low, Number high, Unit unit) {
  const std::string least = NumberText(low, unit);
  if (high != std::numeric_limits<Number>::max()) {
    return absl::StrCat(least, " to ", NumberText(high, unit));
  }
  return low == 0 ? "any whole number" : least + " or more";
}

template <typename Value>
Value NumberTypeOf(const std::optional<Value>&);
template <typename Value>
Value NumberTypeOf(const Value&);

// Declares the flag `name` for a number of `unit` from `low` to `high`, a
// uint64_t or a double or one of them that may be left out, and sets `value`,
// whose present value is the default. --help shows the range.
template <typename Value, typename Number = decltype(NumberTypeOf(Value()))>
CLI::Option* AddNumber(CLI::App* app, const std::string& name, Value* value,
                       Unit unit, std::common_type_t<Number> low,
                       std::common_type_t<Number> high,
                       absl::string_view help) {
  const std::string range = RangeText<Number>(low, high, unit);
  const auto parse = [=](const std::string& text) {
    Number number = 0;
    if (!ParseNumber(text, &number) || !(low <= number && number <= high)) {
      throw CLI::ValidationError(absl::StrCat(name, "=", text),
                                 absl::StrCat("must be ", range));
    }
    *value = number;
  };
  const std::optional<Number> by_default = *value;
  return app
      ->add_option_function<std::string>(name, parse,
                                         absl::StrCat(help, "; ", range))
      ->default_str(by_default ? NumberText(*by_default, unit) : "");
}

}  // namespace linebloom::tools
