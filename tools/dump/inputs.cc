#include "tools/dump/inputs.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace linebloom::tools {
namespace {

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

absl::StatusOr<DatabaseFacts> ReadInputs(
    const std::vector<std::string>& operands) {
  if (operands.size() == 1 && IsFolder(operands[0])) {
    return ReadDatabase(operands[0]);
  }
  if (operands.empty()) {
    return absl::InvalidArgumentError(
        "name SSTables or a database's folder; --help says more");
  }
  DatabaseFacts named;
  for (const std::string& path : operands) {
    if (IsFolder(path)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "' is a folder; name a database alone"));
    }
    named.files.emplace_back().path = path;
  }
  return named;
}

}  // namespace

Runner DeclareInputs(CLI::App* app,
                     absl::StatusOr<Outcome> (*run)(const DatabaseFacts&)) {
  const auto operands = std::make_shared<std::vector<std::string>>();
  app->add_option("files", *operands, "SSTables, or a database's folder")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return [operands, run]() -> absl::StatusOr<Outcome> {
    const absl::StatusOr<DatabaseFacts> database = ReadInputs(*operands);
    return database.ok() ? run(*database) : database.status();
  };
}

Json NewReport(const DatabaseFacts& database) {
  return {
      {"database", database.folder.empty() ? Json() : Json(database.folder)},
      {"files", Json::array()}};
}

std::string LineName(LineKind line) {
  if (line == LineKind::kPlain) return "plain";
  if (line == LineKind::kSolved) return "solved";
  return absl::StrCat(static_cast<int>(line));
}

std::string FileLabel(const Json& file) {
  const std::filesystem::path path = file["path"].get<std::string>();
  return Fill("L{/level} |", file) + path.filename().string();
}

Json FileAsJson(const LiveFile& file) {
  Json json = {{"path", file.path}};
  if (file.level != kNoLevel) {
    json["column_family"] = file.column_family;
    json["level"] = file.level;
  }
  return json;
}

}  // namespace linebloom::tools
