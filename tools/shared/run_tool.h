// A tool's command line (Abseil flags), its exit codes, Ctrl-C, and its reports
// as text, JSON and a page.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

enum ExitCode : int {
  kExitFine = 0,
  kExitFoundSomething = 1,  // ran, and found something wrong
  kExitBadInput = 2,        // bad usage or unreadable input
  kExitInterrupted = 130,   // stopped by a signal, as shells number SIGINT
};

// "linebloom 0.2.0, RocksDB 7.8.3".
std::string Versions();

// This process's command line, as it can be typed into a shell, with the
// program's name without its folder.
std::string CommandLine();

// Checks that `path`, which `flag` named, can be written, before long work and
// without leaving a trace. Returns the operating system's error, with both
// names.
absl::Status CheckFlagFile(absl::string_view flag, const std::string& path);

// A tool's report, as text and as JSON, whose `problems`, if any, are sentences
// for stderr.
struct Outcome {
  std::string text;
  Json json;
  // By default kExitFoundSomething if there are problems.
  std::optional<int> exit_code = {};
};

// Sets all Abseil flags from `argv`, runs a tool and returns its exit code.
// `usage`, what the tool does, goes above the flags in --help. `arguments` gets
// those that are not flags, after any that it has; without it they are errors.
// Prints the report as text or, with --json=-, as JSON; another --json names a
// file for it, checked before `run`. In JSON bytes that are not UTF-8 are
// replaced; in text they become \xff and control characters \x1b. If something
// fails, one line on stderr says why.
int RunTool(int argc, char** argv, absl::string_view usage,
            absl::FunctionRef<absl::StatusOr<Outcome>()> run,
            std::vector<std::string>* arguments = nullptr);

// True if SIGINT, SIGTERM or SIGHUP arrived since RunTool() began; a second one
// ends the process at once, as usual. May be called from any thread.
bool Interrupted();

// OK, or Cancelled after a signal.
absl::Status CheckInterrupt();

// Writes page.html with the `result`, which it draws, `text` and the command
// line. Does nothing if `path` is empty.
absl::Status WritePage(const std::string& path, Json result,
                       absl::string_view text);

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

// Flags that fill the members of a struct: each has the name, the type and the
// default of its member. Numbers are as people write them: 100000000,
// 100,000,000, 100_000_000, 1e8, 100M.

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

// 2000000 as "2M", 1500 as "1,500", 65536 bytes as "64KiB": short, and accepted
// by ParseNumber.
std::string NumberText(uint64_t number, Unit unit);
std::string NumberText(double number, Unit unit);

// The same of a number that may be left out: "" is none.
template <typename Number>
bool ParseNumber(absl::string_view text, Unit unit, Number low, Number high,
                 std::optional<Number>* value, std::string* error) {
  value->reset();
  return text.empty() ||
         ParseNumber(text, unit, low, high, &value->emplace(), error);
}
template <typename Number>
std::string NumberText(const std::optional<Number>& number, Unit unit) {
  return number.has_value() ? NumberText(*number, unit) : "";
}

// For example "1k to 1G"; "any whole number" if there is no limit.
template <typename Number>
std::string RangeText(Number low, Number high, Unit unit) {
  return high == std::numeric_limits<Number>::max()
             ? "any whole number"
             : absl::StrCat(NumberText(low, unit), " to ",
                            NumberText(high, unit));
}

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
std::string AbslUnparseFlag(const NumberFlag<Value, Range>& flag) {
  return NumberText(flag.value, Range::kUnit);
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
                                                       name##Range::kHigh,    \
                                                       name##Range::kUnit)))  \
      .OnUpdate([] {                                                          \
        ::linebloom::tools::ConfigFromFlags<Config>().name =                  \
            absl::GetFlag(FLAGS_##name).value;                                \
      })
