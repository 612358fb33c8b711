// A tool's command line (Abseil flags), its exit codes and its reports.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
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

// "linebloom 0.1.0, RocksDB 7.8.3".
std::string Versions();

// Sets all Abseil flags from `argv`. `usage` is the text that --help prints
// above them; it starts with what the tool does. Exits the process after --help
// (0), and with one line on stderr if a flag is unknown, a value doesn't have
// the flag's type, or an argument is not a flag (2).
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

// Runs a tool after its flags are parsed, handles Ctrl-C, and returns the exit
// code. Prints the report as text or, with --json=-, as JSON. Any other --json
// names a file that gets the JSON as well and is checked before `run`. (Keys
// and paths in JSON may be any bytes; those that are not UTF-8 are replaced. In
// text, and on stderr, they become \xff and control characters \x1b.)
// If `run` or writing fails, one line on stderr says why.
int RunTool(absl::string_view name,
            absl::FunctionRef<absl::StatusOr<Outcome>()> run);

}  // namespace linebloom::tools
