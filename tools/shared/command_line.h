// The command line of a tool: Abseil flags, and the exit codes of all tools.
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

}  // namespace linebloom::tools
