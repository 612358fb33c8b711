// The command line of a tool: absl flags, and the exit codes that all tools
// share.
#pragma once

#include <string>
#include <vector>

namespace linebloom::tools {

enum ExitCode : int {
  kExitFine = 0,
  kExitFoundSomething = 1,  // ran, and found something wrong
  kExitBadInput = 2,        // bad usage or unreadable input
  kExitInterrupted = 130,   // stopped by a signal, as shells number SIGINT
};

// Sets all absl flags from `argv`. `usage` is what --help prints above them; it
// begins with what the tool does. Exits the process after --help (0), and with
// one line on stderr where a flag is unknown, a value is not of the flag's type
// or an argument is not a flag (2).
void ParseFlagsOrExit(int argc, char** argv, const char* usage);

// The same for a tool that takes arguments that are not flags; returns them.
std::vector<std::string> ParseFlagsAndArgumentsOrExit(int argc, char** argv,
                                                      const char* usage);

}  // namespace linebloom::tools
