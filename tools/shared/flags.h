// Flags that fill the members of a struct: each has the name, the type and the
// default of its member. Numbers are as people write them: 100000000,
// 100,000,000, 100_000_000, 1e8, 100M.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
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

// Sets `value`; rounds whole numbers. Returns false, with what is possible in
// `error`, if `text` is not such a number from `low` to `high`.
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

// The values from the command line, complete once it has been parsed.
template <typename Config>
Config& ConfigFromFlags() {
  static Config config;
  return config;
}

template <typename Value>
Value NumberTypeOf(const std::optional<Value>&);
template <typename Value>
Value NumberTypeOf(const Value&);

}  // namespace linebloom::tools

// Defines the flag --name for the member of that name, a string or a bool.
#define LINEBLOOM_FLAG(Config, name, help)                                   \
  ABSL_FLAG(decltype(Config::name), name, Config().name, help).OnUpdate([] { \
    ::linebloom::tools::ConfigFromFlags<Config>().name =                     \
        absl::GetFlag(FLAGS_##name);                                         \
  })

// The same for a number of `unit` from `low` to `high`; --help shows
// the range.
#define LINEBLOOM_NUMBER_FLAG(Config, name, unit, low, high, help)            \
  struct name##Range {                                                        \
    using Number = decltype(::linebloom::tools::NumberTypeOf(Config().name)); \
    static constexpr auto kUnit = ::linebloom::tools::Unit::unit;             \
    static constexpr Number kLow = low;                                       \
    static constexpr Number kHigh = high;                                     \
  };                                                                          \
  using name##Flag =                                                          \
      ::linebloom::tools::NumberFlag<decltype(Config::name), name##Range>;    \
  ABSL_FLAG(name##Flag, name, {Config().name},                                \
            absl::StrCat(help, "; ",                                          \
                         ::linebloom::tools::RangeText(name##Range::kLow,     \
                                                       name##Range::kHigh)))  \
      .OnUpdate([] {                                                          \
        ::linebloom::tools::ConfigFromFlags<Config>().name =                  \
            absl::GetFlag(FLAGS_##name).value;                                \
      })
