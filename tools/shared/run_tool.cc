#include "tools/shared/run_tool.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/rocksdb/printable.h"
#include "tools/shared/interrupt.h"

ABSL_FLAG(std::string, json, "",
          "also write the result as JSON to this file; - for stdout instead of "
          "the text");

namespace linebloom::tools {
namespace {

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
    const absl::Status written = WriteFlagFile("--json", json_flag, json);
    if (!written.ok()) return written;
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
  absl::Status status;
  if (!json_flag.empty() && json_flag != "-") {
    status = CheckFlagFile("--json", json_flag);
  }
  if (!status.ok()) return status;
  absl::StatusOr<Outcome> outcome = run();
  if (!outcome.ok()) return outcome;
  status = WriteOutcome(json_flag, *outcome);
  if (!status.ok()) return status;
  return outcome;
}

}  // namespace

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

}  // namespace linebloom::tools
