// A tool's command line (Abseil flags), its exit codes, Ctrl-C, and its reports
// as text, JSON and a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace linebloom::tools {

enum ExitCode : int {
  kExitFine = 0,
  kExitFoundSomething = 1,  // ran, and found something wrong
  kExitBadInput = 2,        // bad usage or unreadable input
  kExitInterrupted = 130,   // stopped by a signal, as shells number SIGINT
};

// "linebloom 0.2.0, RocksDB 7.8.3".
std::string Versions();

// Sets all Abseil flags from `argv`. `usage`, what the tool does, goes above
// them in --help. Exits after --help (0), and with one line on stderr after an
// unknown flag, a bad value or an argument that is not a flag (2).
void ParseFlagsOrExit(int argc, char** argv, const char* usage);

// The same for tools that take other arguments, which it returns.
std::vector<std::string> ParseFlagsAndArgumentsOrExit(int argc, char** argv,
                                                      const char* usage);

// The command line for a report, as it can be typed into a shell, with the
// program's name without its folder.
std::string CommandText(int argc, char** argv);

// Checks that `path` can be written, before long work and without leaving a
// trace. Returns the errors of WriteFlagFile.
absl::Status CheckFlagFile(absl::string_view flag, const std::string& path);

// Writes `bytes` to `path`, which `flag` named. Returns the operating system's
// error, with both names.
absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes);

// A tool's report, as text and as JSON.
struct Outcome {
  std::string text;
  nlohmann::ordered_json json;
  // Problems for stderr, one sentence each.
  std::vector<std::string> problems;
  int exit_code = kExitFine;
};

// kExitFoundSomething if there are any.
int ExitCodeOf(const std::vector<std::string>& problems);

// Runs a tool and returns the exit code. Prints the report as text or, with
// --json=-, as JSON; another --json names a file for it, checked before `run`.
// In JSON bytes that are not UTF-8 are replaced; in text they become \xff and
// control characters \x1b. If something fails, one line on stderr says why.
int RunTool(absl::string_view name,
            absl::FunctionRef<absl::StatusOr<Outcome>()> run);

// True if SIGINT, SIGTERM or SIGHUP arrived since RunTool() began; a second one
// ends the process at once, as usual. May be called from any thread.
bool Interrupted();

// OK, or Cancelled after a signal.
absl::Status CheckInterrupt();

// Writes page.html with the `result`, which it draws, `text` and the `command`
// that was typed. Does nothing if `path` is empty.
absl::Status WritePage(const std::string& path, const std::string& command,
                       nlohmann::ordered_json result, absl::string_view text);

template <typename Value>
nlohmann::ordered_json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value)
                           : nlohmann::ordered_json(nullptr);
}

}  // namespace linebloom::tools
