// Flags that fill the members of a struct. Each has the name, the type and the
// default of its member.
#pragma once

#include <optional>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "tools/shared/number.h"

namespace linebloom::tools {

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

// The same for a number of `unit` from `low` to `high` (number.h); --help shows
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
