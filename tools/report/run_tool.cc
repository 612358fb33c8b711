#include "tools/report/run_tool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
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
  std::cout << NamedText("", program_name + ": " + app.get_description(), 0)
            << "\n"
            << (has_subcommands ? "Subcommands, each with --help:" : "Flags:")
            << "\n";
  for (const auto& [name, text] : rows) {
    std::cout << NamedText(name, text, widest + 2);
  }
}

absl::Status CannotWrite(absl::string_view flag, const std::string& path) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write ", flag, "='", path, "'"));
}

// Before long work: an error if the file that a flag names, "" for none, can't
// be written. What is there stays until then.
absl::Status CheckWritable(absl::string_view flag, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  std::string known = path;
  if (access(path.c_str(), F_OK) != 0) {
    known = std::filesystem::path(path).parent_path();
    if (known.empty()) known = ".";
  }
  return access(known.c_str(), W_OK) == 0 ? absl::OkStatus()
                                          : CannotWrite(flag, path);
}

// Makes `number` one of the descriptors that this process was started with, if
// one has the same file, such as that of /dev/stdout after `>> file`. Opened
// anew, it would have an offset of its own, and each text overwrite the other.
bool BecomeInherited(int number) {
  struct stat file = {};
  (void)fstat(number, &file);
  for (int other = STDOUT_FILENO; other < 256; ++other) {
    struct stat about = {};
    const bool is_same = other != number && fstat(other, &about) == 0 &&
                         about.st_dev == file.st_dev &&
                         about.st_ino == file.st_ino &&
                         (fcntl(other, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (is_same) return dup2(other, number) == number;
  }
  return false;
}

absl::Status Write(absl::string_view flag, const std::string& path,
                   absl::string_view bytes) {
  if (path.empty()) return absl::OkStatus();
  const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (number < 0) return CannotWrite(flag, path);
  // (FIFOs and devices have no size.)
  if (!BecomeInherited(number)) (void)!ftruncate(number, 0);
  std::FILE* const file = fdopen(number, "w");
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? absl::OkStatus() : CannotWrite(flag, path);
}

// Names of files and column families may hold what a terminal obeys.
void PrintError(absl::string_view message) {
  std::cerr << Printable(absl::StrCat(program_name, ": ", message), "\n")
            << "\n";
}

// With a damaged footer RocksDB may attempt a huge allocation on its own
// threads, where we can't catch bad_alloc.
void EndAtException() {
  PrintError(
      "RocksDB ended with an exception: too little memory, or a damaged file, "
      "which 'linebloom verify' names");
  _exit(kExitBadInput);
}

// CLI11 reads `--json= --dry_run` as --json=--dry_run, which would also start a
// real run. Rejects empty values first.
absl::Status CheckValues(absl::Span<char* const> arguments) {
  for (const absl::string_view argument : arguments) {
    if (argument == "--") break;
    if (argument.empty() ||
        (absl::StartsWith(argument, "--") && argument.back() == '=')) {
      return absl::InvalidArgumentError(
          absl::StrCat(ShellQuoted(argument), ": a value is empty"));
    }
  }
  return absl::OkStatus();
}

// page.html with the outcome's JSON, which it draws, and its text.
std::string PageOf(const Outcome& outcome) {
  std::string command = BaseName(command_line[0]);
  for (const char* argument : command_line.subspan(1)) {
    absl::StrAppend(&command, " ", ShellQuoted(argument));
  }
  Json result = outcome.json;
  result["about"] = {
      {"command", command},
      {"date", absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone())},
      {"versions", Versions()}};
  // Any "</script" would end the script element.
  const std::string json = absl::StrReplaceAll(
      result.dump(1, ' ', false, Json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  const std::string escaped = absl::StrReplaceAll(
      outcome.text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return absl::StrReplaceAll(kPage,
                             {{"{{text}}", escaped}, {"{{json}}", json}});
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

absl::StatusOr<Outcome> RunAndWrite(const std::string& json_path,
                                    const std::string& html_path,
                                    const Runner& run) {
  const bool to_stdout = json_path == "-";
  const std::string json_file = to_stdout ? "" : json_path;
  RETURN_IF_ERROR(CheckWritable("--json", json_file));
  RETURN_IF_ERROR(CheckWritable("--html", html_path));
  CatchInterrupts();
  absl::StatusOr<Outcome> outcome = run();
  if (!outcome.ok()) return outcome;
  // Files first, so that nothing is printed after an error.
  RETURN_IF_ERROR(
      Write("--html", html_path, html_path.empty() ? "" : PageOf(*outcome)));
  const std::string json = absl::StrCat(
      outcome->json.dump(2, ' ', false, Json::error_handler_t::replace), "\n");
  RETURN_IF_ERROR(Write("--json", json_file, json));
  std::cout << (to_stdout ? json : Printable(outcome->text, "\n"))
            << std::flush;
  if (std::cout) return outcome;
  return absl::ErrnoToStatus(errno, "cannot write to standard output");
}

}  // namespace

std::string ShellQuoted(absl::string_view argument) {
  const bool is_plain =
      !argument.empty() && std::ranges::all_of(argument, [](unsigned char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("_-./=:,+@%", c);
      });
  if (is_plain) return std::string(argument);
  return absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}),
                      "'");
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
  const absl::Span<char*> arguments = command_line.subspan(1);
  const auto refuse = [](absl::string_view why) {
    PrintError(absl::StrCat(why, "; --help says more"));
    return kExitBadInput;
  };
  const absl::Status values = CheckValues(arguments);
  if (!values.ok()) return refuse(values.message());
  // CLI11 wants them in reverse.
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    PrintHelp(*named());
    return kExitFine;
  } catch (const CLI::CallForVersion&) {
    std::cout << Versions() << "\n";
    return kExitFine;
  } catch (const CLI::ParseError& error) {
    named();
    // CLI11 first says what is missing, perhaps because a name is misspelt.
    const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
    return static_cast<int>(refuse(
        unknown.empty() ? error.what() : CLI::ExtrasError(unknown).what()));
  }
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
