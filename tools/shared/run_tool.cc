#include "tools/shared/run_tool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "filter_policy/rocksdb/printable.h"
#include "nlohmann/json.hpp"
#include "rocksdb/version.h"
#include "table/status.h"
#include "tools/shared/terminal_text.h"

ABSL_FLAG(std::string, json, "",
          "also write the result as JSON to this file; - for stdout instead of "
          "the text");

namespace linebloom::tools {
namespace {

// CMake makes a string literal of page.html.
constexpr char kPage[] =
#include "generated/page_html.inc"
    ;

// In UTC: "2026-11-23".
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  std::array<char, 16> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void NoteInterrupt(int /*signal*/) { interrupted.store(true); }

// The exit code while Abseil parses; -1 at other times.
int exit_code_while_parsing = -1;

// absl::ParseCommandLine exits by itself, with 1 for a bad flag and 0 or 1 for
// --helpfull; only an exit handler can correct that. Rejected: parsing through
// Abseil's reflection, which would lose --flagfile and the suggestions.
void CorrectExitCode() {
  if (exit_code_while_parsing < 0) return;
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code_while_parsing);
}

// Lists the flags of the tool's own files, not those of libraries.
void PrintHelp(absl::string_view program, absl::string_view usage) {
  std::cout << program << ": " << usage << "\n\nFlags:\n";
  const auto flags = absl::GetAllFlags();
  for (const auto& [name, flag] : std::map(flags.begin(), flags.end())) {
    if (!absl::StrContains(flag->Filename(), "tools/")) continue;
    const std::string value = flag->DefaultValue();
    std::cout << "  "
              << WrapText(
                     absl::StrCat("--", name, " (", flag->Help(), ")",
                                  value.empty() ? "" : "; default: ", value),
                     /*width=*/78, /*indent=*/6)
              << "\n";
  }
}

// Exits after --help and --version; returns true for other questions of that
// kind, which Abseil answers.
bool AnswersHelp(const std::vector<std::string>& arguments,
                 absl::string_view program, absl::string_view usage) {
  for (absl::string_view argument : arguments) {
    if (argument == "--") return false;
    if (!absl::ConsumePrefix(&argument, "-")) continue;
    absl::ConsumePrefix(&argument, "-");
    if (argument == "version") std::cout << Versions() << "\n";
    if (argument == "h" || argument == "help") PrintHelp(program, usage);
    if (argument == "version" || argument == "h" || argument == "help") {
      std::exit(kExitFine);
    }
    if (absl::StartsWith(argument, "help")) return true;
  }
  return false;
}

// The arguments, with --dry_run for --dry-run: no flag has a dash in its name.
std::vector<std::string> WithUnderscores(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!absl::StartsWith(argument, "--")) continue;
    std::replace(argument.begin() + 2,
                 std::find(argument.begin(), argument.end(), '='), '-', '_');
  }
  return arguments;
}

absl::Status StatusOf(const std::ofstream& file, absl::string_view flag,
                      const std::string& path) {
  if (file) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write ", flag, "='", path, "'"));
}

absl::Status WriteOutcome(const std::string& json_flag,
                          const Outcome& outcome) {
  const std::string json = absl::StrCat(
      outcome.json.dump(2, ' ', false,
                        nlohmann::ordered_json::error_handler_t::replace),
      "\n");
  // The file first, so that nothing is printed after an error.
  if (!json_flag.empty() && json_flag != "-") {
    RETURN_IF_ERROR(WriteFlagFile("--json", json_flag, json));
  }
  std::cout << (json_flag == "-" ? json : Printable(outcome.text, "\n"))
            << std::flush;
  if (std::cout) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write to standard output");
}

// Names of files and column families may hold what a terminal obeys.
void PrintError(absl::string_view tool, absl::string_view message) {
  std::cerr << Printable(absl::StrCat(tool, ": ", message), "\n") << "\n";
}

absl::StatusOr<Outcome> RunAndWrite(
    absl::FunctionRef<absl::StatusOr<Outcome>()> run) {
  const std::string json_flag = absl::GetFlag(FLAGS_json);
  if (!json_flag.empty() && json_flag != "-") {
    RETURN_IF_ERROR(CheckFlagFile("--json", json_flag));
  }
  absl::StatusOr<Outcome> outcome = run();
  if (outcome.ok()) RETURN_IF_ERROR(WriteOutcome(json_flag, *outcome));
  return outcome;
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = NoteInterrupt;
  // Reset: a second signal has its default effect. Restart: RocksDB would
  // report an interrupted read as a disk error.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Shells start background jobs with the signal ignored, and so does nohup;
    // don't change that.
    if (before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

std::string Versions() {
  return absl::StrCat("linebloom ", LINEBLOOM_VERSION, ", RocksDB ",
                      rocksdb::GetRocksVersionAsString());
}

std::vector<std::string> ParseFlagsAndArgumentsOrExit(int argc, char** argv,
                                                      const char* usage) {
  const std::string program = std::filesystem::path(argv[0]).filename();
  std::vector<std::string> arguments = WithUnderscores(argc, argv);
  std::atexit(CorrectExitCode);
  exit_code_while_parsing =
      AnswersHelp(arguments, program, usage) ? kExitFine : kExitBadInput;
  std::vector<char*> pointers = {argv[0]};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const std::vector<char*> rest = absl::ParseCommandLine(argc, pointers.data());
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

absl::Status CheckFlagFile(absl::string_view flag, const std::string& path) {
  const bool existed = std::filesystem::exists(path);
  const absl::Status status =
      StatusOf(std::ofstream(path, std::ios::app), flag, path);
  std::error_code ignored;
  if (status.ok() && !existed) std::filesystem::remove(path, ignored);
  return status;
}

absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes) {
  std::ofstream file(path, std::ios::trunc);
  file << bytes;
  file.close();
  return StatusOf(file, flag, path);
}

int ExitCodeOf(const std::vector<std::string>& problems) {
  return problems.empty() ? kExitFine : kExitFoundSomething;
}

int RunTool(absl::string_view name,
            absl::FunctionRef<absl::StatusOr<Outcome>()> run) {
  CatchInterrupts();
  const absl::StatusOr<Outcome> outcome = RunAndWrite(run);
  if (!outcome.ok()) {
    PrintError(name, outcome.status().message());
    return absl::IsCancelled(outcome.status()) ? kExitInterrupted
                                               : kExitBadInput;
  }
  for (const std::string& problem : outcome->problems) {
    PrintError(name, problem);
  }
  return outcome->exit_code;
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

absl::Status CheckInterrupt() {
  if (Interrupted()) return absl::CancelledError("interrupted");
  return absl::OkStatus();
}

absl::Status WritePage(const std::string& path, const std::string& command,
                       nlohmann::ordered_json result, absl::string_view text) {
  if (path.empty()) return absl::OkStatus();
  result["about"] = {
      {"command", command}, {"date", Today()}, {"versions", Versions()}};
  // Any "</script" would end the script element.
  const std::string json = absl::StrReplaceAll(
      result.dump(1, ' ', false,
                  nlohmann::ordered_json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  const std::string escaped =
      absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return WriteFlagFile(
      "--html", path,
      absl::StrReplaceAll(kPage, {{"{{text}}", escaped}, {"{{json}}", json}}));
}

}  // namespace linebloom::tools
