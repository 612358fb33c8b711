// Flags whose values are numbers as people write them: 100000000, 100,000,000,
// 100_000_000, 1e8, 100M.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// The quantity that a number counts determines its possible suffixes, in upper
// or lower case:
enum class Unit {
  kNone,   // k, M, G, T for powers of 1000
  kBytes,  // the same, kB to TB, and KiB to TiB for powers of 1024
  kShare,  // of 1: % for a hundredth
};

// Rounds whole numbers. InvalidArgument, with what is possible, if `text` is
// not such a number from `low` to `high`.
absl::StatusOr<uint64_t> ParseNumber(absl::string_view text, Unit unit,
                                     uint64_t low, uint64_t high);
absl::StatusOr<double> ParseNumber(absl::string_view text, Unit unit,
                                   double low, double high);

// 2000000 as "2M", 1500 as "1,500", 65536 bytes as "64KiB": short, and accepted
// by ParseNumber.
std::string NumberText(uint64_t number, Unit unit);
std::string NumberText(double number, Unit unit);

// For example "1k to 1G"; "any whole number" if there is no limit.
template <typename Number>
std::string RangeText(Number low, Number high, Unit unit) {
  return high == std::numeric_limits<Number>::max()
             ? "any whole number"
             : absl::StrCat(NumberText(low, unit), " to ",
                            NumberText(high, unit));
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
  const auto parse = [=](const std::string& text) {
    const auto number = ParseNumber(text, unit, low, high);
    if (!number.ok()) {
      throw CLI::ValidationError(absl::StrCat(name, "=", text),
                                 std::string(number.status().message()));
    }
    *value = *number;
  };
  const std::optional<Number> by_default = *value;
  return app
      ->add_option_function<std::string>(
          name, parse, absl::StrCat(help, "; ", RangeText(low, high, unit)))
      ->default_str(by_default ? NumberText(*by_default, unit) : "");
}

}  // namespace linebloom::tools
