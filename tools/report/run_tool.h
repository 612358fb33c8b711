// The program's command line (CLI11), its exit codes, Ctrl-C, and its reports
// as text, JSON and a page.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "tools/report/terminal_text.h"

namespace CLI {
class App;
}

namespace linebloom::tools {

enum ExitCode : int {
  kExitFine = 0,
  kExitFoundSomething = 1,  // ran, and found something wrong
  kExitBadInput = 2,        // bad usage or unreadable input
  kExitInterrupted = 130,   // stopped by a signal, as shells number SIGINT
};

// `argument` as a shell reads it: with quotes if it needs some.
std::string ShellQuoted(absl::string_view argument);

// A tool's report, as text and as JSON, whose `problems`, if any, are sentences
// for stderr.
struct Outcome {
  std::string text;
  Json json;
  // By default kExitFoundSomething if there are problems.
  std::optional<int> exit_code = {};
};

// What a subcommand does once its flags are parsed.
using Runner = std::function<absl::StatusOr<Outcome>()>;

// A subcommand of the program.
struct Subcommand {
  const char* name;
  // What it does, above the flags in --help: one sentence that fits on a line,
  // a blank line, examples, and at the end the exit codes.
  const char* description;
  // Declares the flags on `app`.
  Runner (*declare)(CLI::App* app);
  bool has_page = false;  // takes --html: page.html draws its JSON
};

// Runs the subcommand that `argv` names and returns its exit code. Prints the
// report as text or, with --json=-, as JSON; another --json names a file for
// it and --html one for its page. In JSON bytes that
// are not UTF-8 are replaced; in text they become \xff and control characters
// \x1b. If something fails, one line on stderr says why.
int RunProgram(int argc, char** argv, absl::string_view description,
               absl::Span<const Subcommand> subcommands);

// True if SIGINT, SIGTERM or SIGHUP arrived since RunProgram() began; a second
// one ends the process at once, as usual. May be called from any thread.
bool Interrupted();

// OK, or Cancelled after a signal.
absl::Status CheckInterrupt();

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

}  // namespace linebloom::tools
