#include "tools/shared/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "rocksdb/version.h"

namespace linebloom::tools {
namespace {

// The exit code while Abseil parses; -1 at other times.
int exit_code_while_parsing = -1;

// absl::ParseCommandLine exits the process itself, with 1 for a bad flag and,
// depending on its version, 0 or 1 for --help. Only an exit handler can correct
// that. Rejected: parsing flags through Abseil's reflection, which would lose
// --flagfile and the suggestions for mistyped names.
void CorrectExitCode() {
  if (exit_code_while_parsing < 0) return;
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code_while_parsing);
}

bool AsksForHelp(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--") return false;
    if (absl::ConsumePrefix(&argument, "-")) {
      absl::ConsumePrefix(&argument, "-");
      if (argument == "h" || absl::StartsWith(argument, "help") ||
          argument == "version") {
        return true;
      }
    }
  }
  return false;
}

// Abseil knows only --help.
char* WithLongName(char* argument) {
  static char help[] = "--help";
  return absl::string_view(argument) == "-h" ? help : argument;
}

// Where the path of one of our files starts, without the folder of the tree.
size_t FindOwnFolder(absl::string_view file) { return file.rfind("tools/"); }

}  // namespace

std::string Versions() {
  return absl::StrCat("linebloom ", LINEBLOOM_VERSION, ", RocksDB ",
                      rocksdb::GetRocksVersionAsString());
}

std::vector<std::string> ParseFlagsAndArgumentsOrExit(int argc, char** argv,
                                                      const char* usage) {
  absl::SetProgramUsageMessage(usage);
  absl::FlagsUsageConfig config;
  // --help lists the flags of the tool's own files, not those of libraries.
  config.contains_help_flags = [](absl::string_view file) {
    return FindOwnFolder(file) != absl::string_view::npos;
  };
  config.contains_helpshort_flags = config.contains_help_flags;
  // Without the path on the machine that compiled them.
  config.normalize_filename = [](absl::string_view file) {
    const size_t folder = FindOwnFolder(file);
    return std::string(folder == absl::string_view::npos ? file
                                                         : file.substr(folder));
  };
  config.version_string = [] { return Versions() + "\n"; };
  absl::SetFlagsUsageConfig(config);

  std::atexit(CorrectExitCode);
  exit_code_while_parsing = AsksForHelp(argc, argv) ? kExitFine : kExitBadInput;
  std::vector<char*> arguments(argv, argv + argc);
  std::transform(arguments.begin(), arguments.end(), arguments.begin(),
                 WithLongName);
  const std::vector<char*> rest =
      absl::ParseCommandLine(argc, arguments.data());
  exit_code_while_parsing = -1;
  return {rest.begin() + 1, rest.end()};
}

void ParseFlagsOrExit(int argc, char** argv, const char* usage) {
  const std::vector<std::string> arguments =
      ParseFlagsAndArgumentsOrExit(argc, argv, usage);
  if (!arguments.empty()) {
    std::cerr << "unexpected argument '" << arguments[0]
              << "': flags are written --name=value\n";
    std::exit(kExitBadInput);
  }
}

std::string CommandText(int argc, char** argv) {
  std::string text = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const bool is_plain =
        !argument.empty() &&
        std::all_of(argument.begin(), argument.end(), [](char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                 absl::string_view("_-./=:,+@%").find(c) !=
                     absl::string_view::npos;
        });
    if (is_plain) {
      absl::StrAppend(&text, " ", argument);
    } else {
      absl::StrAppend(&text, " '",
                      absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'");
    }
  }
  return text;
}

}  // namespace linebloom::tools
