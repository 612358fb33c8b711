#include "tools/filter_dump/config.h"

#include <optional>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

std::optional<Command> CommandByName(const std::string& name) {
  if (name == "table") return Command::kTable;
  if (name == "lines") return Command::kLines;
  if (name == "verify") return Command::kVerify;
  if (name == "raw") return Command::kRaw;
  return std::nullopt;
}

absl::Status Bad(absl::string_view message) {
  return absl::InvalidArgumentError(message);
}

absl::Status CheckFlagOfCommand(bool set, absl::string_view flag,
                                absl::string_view command,
                                const FilterDumpConfig& config) {
  if (!set || config.command == command) return absl::OkStatus();
  return Bad(absl::StrCat(flag, " needs --command=", command));
}

}  // namespace

absl::Status ValidateConfig(const FilterDumpConfig& config) {
  if (!CommandByName(config.command).has_value()) {
    return Bad(absl::StrCat("--command=", config.command,
                            " is not one of table, lines, verify, raw"));
  }
  if (!config.check_options.empty()) {
    if (config.files.empty() && config.db.empty()) return absl::OkStatus();
    return Bad(
        "--check_options looks at no SSTables: name no file and no --db");
  }
  if (config.files.empty() && config.db.empty()) {
    return Bad("name SSTables, or a database with --db; --help says more");
  }
  if (!config.files.empty() && !config.db.empty()) {
    return Bad("name either SSTables or --db, not both");
  }
  if (config.db.empty() && !config.column_family.empty()) {
    return Bad("--column_family needs --db");
  }
  if (config.command == "raw" && config.files.size() != 1) {
    return Bad("--command=raw shows one file: name it with --file");
  }
  if (config.format != "text" && config.format != "prometheus") {
    return Bad(
        absl::StrCat("--format=", config.format,
                     " is not one of text, prometheus; --json writes JSON"));
  }
  if (config.format == "prometheus" &&
      (config.db.empty() || config.command != "table")) {
    return Bad("--format=prometheus needs --db and --command=table");
  }
  if (!config.html.empty() && config.command != "table" &&
      config.command != "lines") {
    return Bad("--html needs --command=table or lines");
  }
  if (!config.before.empty() && (config.db.empty() || config.html.empty())) {
    return Bad("--before needs --db, and --html to draw it in");
  }
  absl::Status status =
      CheckFlagOfCommand(!config.before.empty(), "--before", "table", config);
  status.Update(
      CheckFlagOfCommand(!config.out.empty(), "--out", "raw", config));
  status.Update(CheckFlagOfCommand(config.partition.has_value(), "--partition",
                                   "raw", config));
  return status;
}

Command CommandOf(const FilterDumpConfig& config) {
  return CommandByName(config.command).value_or(Command::kTable);
}

}  // namespace linebloom::tools
