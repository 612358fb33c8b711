#include "tools/shared/run_tool.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <system_error>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "filter_policy/policy/printable.h"
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

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void NoteInterrupt(int /*signal*/) { interrupted.store(true); }

// What main() got.
absl::Span<char*> command_line;

std::string ProgramName() {
  return std::filesystem::path(command_line[0]).filename();
}

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
void PrintHelp(absl::string_view usage) {
  std::map<std::string, std::string> flags;
  size_t widest = 0;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::StrContains(flag->Filename(), "tools/")) continue;
    const std::string value = flag->DefaultValue();
    const bool is_plain = value.empty() || value == "false";
    flags["  --" + std::string(name)] = absl::StrCat(
        flag->Help(), is_plain ? "" : "; default: ", is_plain ? "" : value);
    widest = std::max(widest, name.size() + 4);
  }
  std::cout << ProgramName() << ": " << usage << "\n\nFlags:\n";
  for (const auto& [name, help] : flags) {
    std::cout << NamedText(name, help, widest + 2);
  }
}

// Exits after --help and --version; returns true for other questions of that
// kind, which Abseil answers.
bool AnswersHelp(const std::vector<std::string>& arguments,
                 absl::string_view usage) {
  for (absl::string_view argument : arguments) {
    if (argument == "--") return false;
    if (!absl::ConsumePrefix(&argument, "-")) continue;
    absl::ConsumePrefix(&argument, "-");
    if (argument == "version") std::cout << Versions() << "\n";
    if (argument == "h" || argument == "help") PrintHelp(usage);
    if (argument == "version" || argument == "h" || argument == "help") {
      std::exit(kExitFine);
    }
    if (absl::StartsWith(argument, "help")) return true;
  }
  return false;
}

// The arguments, with --dry_run for --dry-run: no flag has a dash in its name.
std::vector<std::string> WithUnderscores() {
  std::vector<std::string> arguments(command_line.begin() + 1,
                                     command_line.end());
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

absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes) {
  std::ofstream file(path, std::ios::trunc);
  file << bytes;
  file.close();
  return StatusOf(file, flag, path);
}

// Names of files and column families may hold what a terminal obeys.
void PrintError(absl::string_view message) {
  std::cerr << Printable(absl::StrCat(ProgramName(), ": ", message), "\n")
            << "\n";
}

// RocksDB allocates what a damaged footer says, also in threads of its own, out
// of which no exception can be caught.
void EndAtException() {
  PrintError(
      "RocksDB ended with an exception: too little memory, or a damaged file, "
      "which 'filter_dump --command=verify' names");
  _exit(kExitBadInput);
}

std::string Quoted(absl::string_view argument) {
  const bool is_plain =
      !argument.empty() && std::ranges::all_of(argument, [](unsigned char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("_-./=:,+@%", c);
      });
  if (is_plain) return std::string(argument);
  return absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}),
                      "'");
}

// Returns the arguments that are not flags.
std::vector<std::string> ParseFlagsOrExit(absl::string_view usage) {
  std::vector<std::string> arguments = WithUnderscores();
  std::atexit(CorrectExitCode);
  exit_code_while_parsing =
      AnswersHelp(arguments, usage) ? kExitFine : kExitBadInput;
  std::vector<char*> pointers = {command_line[0]};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const std::vector<char*> rest = absl::ParseCommandLine(
      static_cast<int>(pointers.size()), pointers.data());
  exit_code_while_parsing = -1;
  return {rest.begin() + 1, rest.end()};
}

absl::StatusOr<Outcome> RunAndWrite(
    absl::FunctionRef<absl::StatusOr<Outcome>()> run) {
  const std::string path = absl::GetFlag(FLAGS_json);
  const bool to_file = !path.empty() && path != "-";
  if (to_file) RETURN_IF_ERROR(CheckFlagFile("--json", path));
  absl::StatusOr<Outcome> outcome = run();
  if (!outcome.ok()) return outcome;
  const std::string json = absl::StrCat(
      outcome->json.dump(2, ' ', false, Json::error_handler_t::replace), "\n");
  // The file first, so that nothing is printed after an error.
  if (to_file) RETURN_IF_ERROR(WriteFlagFile("--json", path, json));
  std::cout << (path == "-" ? json : Printable(outcome->text, "\n"))
            << std::flush;
  if (std::cout) return outcome;
  return absl::ErrnoToStatus(errno, "cannot write to standard output");
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

constexpr std::array<char, 4> kSuffixes = {'k', 'm', 'g', 't'};

bool IsDigitAt(absl::string_view text, size_t i) {
  return i < text.size() && absl::ascii_isdigit(text[i]);
}

// Removes blanks around the number and separators within it.
std::string Clean(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool separates = (text[i] == ',' || text[i] == '_') && i > 0 &&
                           IsDigitAt(text, i - 1) && IsDigitAt(text, i + 1);
    if (!separates) clean += text[i];
  }
  return clean;
}

// Removes the unit from the end of `text` and returns the number it stands for.
std::optional<double> ConsumeUnit(Unit unit, absl::string_view* text) {
  if (unit == Unit::kShare) return absl::ConsumeSuffix(text, "%") ? 0.01 : 1;
  double step = 1000;
  if (unit == Unit::kBytes && absl::EndsWithIgnoreCase(*text, "b")) {
    text->remove_suffix(1);
    if (absl::EndsWithIgnoreCase(*text, "i")) {
      text->remove_suffix(1);
      step = 1024;
    }
  }
  double factor = 1;
  for (const char suffix : kSuffixes) {
    factor *= step;
    if (!text->empty() && absl::ascii_tolower(text->back()) == suffix) {
      text->remove_suffix(1);
      return factor;
    }
  }
  // "12iB" has no suffix that could be binary.
  if (step == 1024) return std::nullopt;
  return 1;
}

std::optional<double> Parse(absl::string_view text, Unit unit) {
  const std::string clean = Clean(text);
  absl::string_view rest = clean;
  const std::optional<double> factor = ConsumeUnit(unit, &rest);
  double number = 0;
  // (SimpleAtod takes "inf" and "nan" too.)
  if (!factor.has_value() || !absl::SimpleAtod(rest, &number) ||
      !std::isfinite(number)) {
    return std::nullopt;
  }
  return number * *factor;
}

// Keeps every digit of a large number, because in a seed each one matters.
std::optional<uint64_t> ParseWhole(absl::string_view text, Unit unit) {
  uint64_t exact = 0;
  if (absl::SimpleAtoi(Clean(text), &exact)) return exact;
  const std::optional<double> number = Parse(text, unit);
  if (!number.has_value()) return std::nullopt;
  const double whole = std::round(*number);
  if (whole < 0 || whole >= std::exp2(64)) return std::nullopt;
  return static_cast<uint64_t>(whole);
}

// Takes `number` if it is one within the range.
template <typename Number>
bool Take(const std::optional<Number>& number, Unit unit, Number low,
          Number high, Number* value, std::string* error) {
  *value = number.value_or(0);
  if (number.has_value() && low <= *number && *number <= high) return true;
  *error = absl::StrCat("must be ", RangeText(low, high, unit),
                        unit == Unit::kBytes   ? ", such as 120MB or 114MiB"
                        : unit == Unit::kShare ? ", such as 0.01 or 1%"
                                               : "");
  return false;
}

}  // namespace

std::string Versions() {
  return absl::StrCat("linebloom ", LINEBLOOM_VERSION, ", RocksDB ",
                      rocksdb::GetRocksVersionAsString());
}

std::string CommandLine() {
  std::string line = ProgramName();
  for (const char* argument : command_line.subspan(1)) {
    absl::StrAppend(&line, " ", Quoted(argument));
  }
  return line;
}

absl::Status CheckFlagFile(absl::string_view flag, const std::string& path) {
  // What may have existed stays.
  std::error_code unknown;
  const bool existed = std::filesystem::exists(path, unknown) || unknown;
  const absl::Status status =
      StatusOf(std::ofstream(path, std::ios::app), flag, path);
  std::error_code ignored;
  if (status.ok() && !existed) std::filesystem::remove(path, ignored);
  return status;
}

int RunTool(int argc, char** argv, absl::string_view usage,
            absl::FunctionRef<absl::StatusOr<Outcome>()> run,
            std::vector<std::string>* arguments) {
  command_line = absl::MakeSpan(argv, argc);
  const std::vector<std::string> rest = ParseFlagsOrExit(usage);
  if (arguments != nullptr) {
    arguments->insert(arguments->end(), rest.begin(), rest.end());
  } else if (!rest.empty()) {
    PrintError(absl::StrCat("unexpected argument '", rest[0],
                            "': flags are written --name=value"));
    return kExitBadInput;
  }
  CatchInterrupts();
  std::set_terminate(EndAtException);
  const absl::StatusOr<Outcome> outcome = RunAndWrite(run);
  if (!outcome.ok()) {
    PrintError(outcome.status().message());
    return absl::IsCancelled(outcome.status()) ? kExitInterrupted
                                               : kExitBadInput;
  }
  const auto problems =
      outcome->json.value("problems", std::vector<std::string>());
  for (const std::string& problem : problems) PrintError(problem);
  return outcome->exit_code.value_or(problems.empty() ? kExitFine
                                                      : kExitFoundSomething);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

absl::Status CheckInterrupt() {
  if (Interrupted()) return absl::CancelledError("interrupted");
  return absl::OkStatus();
}

absl::Status WritePage(const std::string& path, Json result,
                       absl::string_view text) {
  if (path.empty()) return absl::OkStatus();
  result["about"] = {
      {"command", CommandLine()},
      {"date", absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone())},
      {"versions", Versions()}};
  // Any "</script" would end the script element.
  const std::string json = absl::StrReplaceAll(
      result.dump(1, ' ', false, Json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  const std::string escaped =
      absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return WriteFlagFile(
      "--html", path,
      absl::StrReplaceAll(kPage, {{"{{text}}", escaped}, {"{{json}}", json}}));
}

bool ParseNumber(absl::string_view text, Unit unit, uint64_t low, uint64_t high,
                 uint64_t* value, std::string* error) {
  return Take(ParseWhole(text, unit), unit, low, high, value, error);
}

bool ParseNumber(absl::string_view text, Unit unit, double low, double high,
                 double* value, std::string* error) {
  return Take(Parse(text, unit), unit, low, high, value, error);
}

std::string NumberText(uint64_t number, Unit unit) {
  const bool bytes = unit == Unit::kBytes;
  const bool binary = bytes && number % 1000 != 0;
  const uint64_t step = binary ? 1024 : 1000;
  std::string suffix;
  for (const char next : kSuffixes) {
    if (number == 0 || number % step != 0) break;
    number /= step;
    suffix = next == 'k' && !binary ? next : absl::ascii_toupper(next);
  }
  if (bytes && !suffix.empty()) suffix += binary ? "iB" : "B";
  return absl::StrCat(WithThousands(number), suffix);
}

std::string NumberText(double number, Unit /*unit*/) {
  return absl::StrCat(number);
}

}  // namespace linebloom::tools
