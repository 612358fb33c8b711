#include "tools/shared/run_tool.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "filter_policy/policy/printable.h"
#include "rocksdb/version.h"
#include "table/status.h"

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

// "linebloom dump".
std::string program_name;

// "linebloom 0.2.0, RocksDB 7.8.3".
std::string Versions() {
  return absl::StrCat("linebloom ", LINEBLOOM_VERSION, ", RocksDB ",
                      rocksdb::GetRocksVersionAsString());
}

std::string BaseName(const char* path) {
  return std::filesystem::path(path).filename();
}

// `app`'s flags, or of the program the subcommands.
void PrintHelp(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::App* one : app.get_subcommands({})) {
    const std::string text = one->get_description();
    rows.emplace_back("  " + one->get_name(), text.substr(0, text.find('\n')));
  }
  const bool has_subcommands = !rows.empty();
  for (const CLI::Option* one : app.get_options()) {
    if (one->get_positional()) continue;
    const std::string value = one->get_default_str();
    std::string text = one->get_description();
    if (one->get_required()) {
      text += "; required";
    } else if (!value.empty() && value != "false") {
      text += "; default: " + value;
    }
    rows.emplace_back("  --" + one->get_lnames().front(), text);
  }
  size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row.first.size());
  const std::string about = app.get_description();
  const size_t end = std::min(about.find('\n'), about.size());
  std::cout << WrapText(absl::StrCat(program_name, ": ", about.substr(0, end)),
                        kTextWidth, 0)
            << about.substr(end) << "\n\n"
            << (has_subcommands ? "Subcommands, each with --help:" : "Flags:")
            << "\n";
  for (const auto& [name, text] : rows) {
    std::cout << NamedText(name, text, widest + 2);
  }
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
  std::cerr << Printable(absl::StrCat(program_name, ": ", message), "\n")
            << "\n";
}

// RocksDB allocates what a damaged footer says, also in threads of its own, out
// of which no exception can be caught.
void EndAtException() {
  PrintError(
      "RocksDB ended with an exception: too little memory, or a damaged file, "
      "which 'linebloom verify' names");
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

// CLI11 takes the next argument for the value that `--json=` lacks: with
// --dry_run next, for a file, and for a run that is none.
absl::Status CheckValues(absl::Span<char* const> arguments) {
  for (const absl::string_view argument : arguments) {
    if (argument == "--") break;
    if (argument.empty() ||
        (absl::StartsWith(argument, "--") && argument.back() == '=')) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quoted(argument), ": a value is empty"));
    }
  }
  return absl::OkStatus();
}

// Checks before long work that `path` can be written, and leaves no trace. Does
// nothing if it is empty.
absl::Status CheckFlagFile(absl::string_view flag, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  // What may have existed stays.
  std::error_code unknown;
  const bool existed = std::filesystem::exists(path, unknown) || unknown;
  const absl::Status status =
      StatusOf(std::ofstream(path, std::ios::app), flag, path);
  std::error_code ignored;
  if (status.ok() && !existed) std::filesystem::remove(path, ignored);
  return status;
}

// Writes page.html with the outcome's JSON, which it draws, and its text.
absl::Status WritePage(const std::string& path, const Outcome& outcome) {
  if (path.empty()) return absl::OkStatus();
  Json result = outcome.json;
  result["about"] = {
      {"command", CommandLine()},
      {"date", absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone())},
      {"versions", Versions()}};
  // Any "</script" would end the script element.
  const std::string json = absl::StrReplaceAll(
      result.dump(1, ' ', false, Json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  const std::string escaped = absl::StrReplaceAll(
      outcome.page_text.empty() ? outcome.text : outcome.page_text,
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return WriteFlagFile(
      "--html", path,
      absl::StrReplaceAll(kPage, {{"{{text}}", escaped}, {"{{json}}", json}}));
}

absl::StatusOr<Outcome> RunAndWrite(const std::string& json_path,
                                    const std::string& html_path,
                                    const Runner& run) {
  const bool to_file = !json_path.empty() && json_path != "-";
  if (to_file) RETURN_IF_ERROR(CheckFlagFile("--json", json_path));
  RETURN_IF_ERROR(CheckFlagFile("--html", html_path));
  absl::StatusOr<Outcome> outcome = run();
  if (!outcome.ok()) return outcome;
  RETURN_IF_ERROR(WritePage(html_path, *outcome));
  const std::string json = absl::StrCat(
      outcome->json.dump(2, ' ', false, Json::error_handler_t::replace), "\n");
  // The file first, so that nothing is printed after an error.
  if (to_file) RETURN_IF_ERROR(WriteFlagFile("--json", json_path, json));
  std::cout << (json_path == "-" ? json : Printable(outcome->text, "\n"))
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

}  // namespace

std::string CommandLine() {
  std::string line = BaseName(command_line[0]);
  for (const char* argument : command_line.subspan(1)) {
    absl::StrAppend(&line, " ", Quoted(argument));
  }
  return line;
}

int RunProgram(int argc, char** argv, absl::string_view description,
               absl::Span<const Subcommand> subcommands) {
  command_line = absl::MakeSpan(argv, argc);
  program_name = BaseName(argv[0]);
  CLI::App app(std::string(description), program_name);
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", Versions(), "print the versions");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string json_path;
  std::string html_path;
  std::map<CLI::App*, Runner> runs;
  for (const Subcommand& one : subcommands) {
    CLI::App* const sub = app.add_subcommand(one.name, one.description);
    if (one.has_page) {
      sub->add_option("--html", html_path,
                      "also write the result with pictures to this file: one "
                      "page that needs no other file and no network");
    }
    runs[sub] = one.declare(sub);
    sub->add_option("--json", json_path,
                    "also write the result as JSON to this file; - for stdout "
                    "instead of the text");
  }
  // The one that was named so far.
  const auto named = [&app] {
    CLI::App* const one =
        app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    if (one != &app) program_name += " " + one->get_name();
    return one;
  };
  const absl::Status values = CheckValues(command_line.subspan(1));
  if (!values.ok()) {
    PrintError(absl::StrCat(values.message(), "; --help says more"));
    return kExitBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    PrintHelp(*named());
    return kExitFine;
  } catch (const CLI::CallForVersion&) {
    std::cout << Versions() << "\n";
    return kExitFine;
  } catch (const CLI::ParseError& error) {
    named();
    PrintError(absl::StrCat(error.what(), "; --help says more"));
    return kExitBadInput;
  }
  CatchInterrupts();
  std::set_terminate(EndAtException);
  const auto run = runs.find(named());
  const absl::StatusOr<Outcome> outcome =
      RunAndWrite(json_path, html_path, run->second);
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

}  // namespace linebloom::tools
