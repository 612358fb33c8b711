// Numbers as people write them: 100000000, 100,000,000, 100_000_000, 1e8, 100M.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// Sets `value` to the number in `text`. Returns false, with what is possible in
// `error`, if `text` is not such a number or is outside `low` to `high`. Rounds
// whole numbers.
bool ParseNumber(absl::string_view text, Unit unit, uint64_t low, uint64_t high,
                 uint64_t* value, std::string* error);
bool ParseNumber(absl::string_view text, Unit unit, double low, double high,
                 double* value, std::string* error);

// 2000000 as "2M", 1500 as "1,500": short, and accepted by ParseNumber.
std::string NumberText(uint64_t number);
std::string NumberText(double number);

// For example "1k to 1G"; "any whole number" if there is no limit.
std::string RangeText(uint64_t low, uint64_t high);
std::string RangeText(double low, double high);

// The type of a flag that takes a number: a uint64_t or a double, or one of
// them that may be left out. `Range` has kUnit, kLow and kHigh.
template <typename Value, typename Range>
struct NumberFlag {
  Value value;
};

template <typename Value, typename Range>
bool AbslParseFlag(absl::string_view text, NumberFlag<Value, Range>* flag,
                   std::string* error) {
  return ParseNumber(text, Range::kUnit, Range::kLow, Range::kHigh,
                     &flag->value, error);
}

template <typename Value, typename Range>
bool AbslParseFlag(absl::string_view text,
                   NumberFlag<std::optional<Value>, Range>* flag,
                   std::string* error) {
  flag->value.reset();
  if (text.empty()) return true;
  return ParseNumber(text, Range::kUnit, Range::kLow, Range::kHigh,
                     &flag->value.emplace(), error);
}

template <typename Value, typename Range>
std::string AbslUnparseFlag(const NumberFlag<Value, Range>& flag) {
  return NumberText(flag.value);
}

template <typename Value, typename Range>
std::string AbslUnparseFlag(
    const NumberFlag<std::optional<Value>, Range>& flag) {
  return flag.value.has_value() ? NumberText(*flag.value) : "";
}

}  // namespace linebloom::tools
