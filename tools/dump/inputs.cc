#include "tools/dump/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// The last component of a path; if it is long, its end.
std::string ShortPath(const std::filesystem::path& path) {
  constexpr size_t kWidth = 14;
  const std::string name = path.filename();
  if (name.size() <= kWidth) return name;
  return absl::StrCat("..", name.substr(name.size() - (kWidth - 2)));
}

// The number as people wrote it: 0.01, which as a float is 0.00999999978.
double AsWritten(float number) {
  double written = number;
  (void)absl::SimpleAtod(absl::StrCat(number), &written);
  return written;
}

Json LinebloomAsJson(const FileFacts& facts) {
  const FilterBlockInfo& info = facts.first.info;
  const double bits = info.request.millibits_per_key / 1000.0;
  const double rate = AsWritten(info.request.false_positive_rate);
  return {{"version", info.version},
          {"line", LineName(info.request.line)},
          {"requested_bits_per_key", rate > 0 ? Json() : Json(bits)},
          {"requested_false_positive_rate", rate > 0 ? Json(rate) : Json()},
          {"level_aware", info.request.level_aware},
          // As text, because many JSON parsers limit numbers to 53 bits.
          {"hash_seed", absl::StrCat(info.request.hash_seed)},
          {"canonical_key", absl::StrCat(info.request.canonical_key)},
          {"false_positive_rate", OrNull(facts.rate_in_metadata)}};
}

Json FilterAsJson(const FileFacts& facts) {
  if (!facts.has_filter()) return nullptr;
  Json json = {{"kind", ToString(facts.filter_kind)},
               {"type", facts.mixed ? "mixed" : ToString(facts.first.kind)},
               {"compatibility_name", facts.compatibility_name},
               {"policy", facts.properties.filter_policy_name},
               {"blocks", facts.blocks},
               {"bytes", facts.bytes},
               {"bits_per_key", OrNull(facts.bits_per_key())},
               {"keys", OrNull(facts.keys)}};
  if (!facts.is_used()) return json;
  json["false_positive_rate"] = facts.rate_is_known ? Json(facts.rate) : Json();
  json["false_positive_rate_is_exact"] = facts.rate_is_exact;
  if (facts.lines > 0) {
    json["lines"] = facts.lines;
    json["line_bytes"] = facts.first.line_bytes;
    json["fill"] = facts.first.has_solved_lines() ? Json() : Json(facts.fill);
    json["probes"] = {{"min", facts.min_probes},
                      {"max", facts.max_probes},
                      {"mean", facts.mean_probes}};
  }
  if (facts.first.kind == BlockKind::kLinebloom) {
    json["metadata"] = LinebloomAsJson(facts);
  }
  return json;
}

}  // namespace

void AddInputs(CLI::App* app, Inputs* inputs) {
  const auto sort = [inputs](const std::vector<std::string>& names) {
    std::error_code ignored;
    if (names.size() == 1 && std::filesystem::is_directory(names[0], ignored)) {
      inputs->db = names[0];
    } else {
      inputs->files = names;
    }
  };
  app->add_option_function<std::vector<std::string>>(
         "files", sort, "SSTables, or a database's folder")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--column_family", inputs->column_family,
                  "of a database only this column family; default: all, one "
                  "by one");
}

absl::StatusOr<DatabaseFacts> ReadInputs(const Inputs& inputs) {
  if (!inputs.db.empty()) {
    auto database = ReadDatabase("DATABASE", inputs.db, inputs.column_family);
    const absl::string_view message = database.status().message();
    if (!absl::StrContains(message, "comparator")) return database;
    return absl::InvalidArgumentError(
        absl::StrCat(message, "; name its files instead"));
  }
  if (inputs.files.empty()) {
    return absl::InvalidArgumentError(
        "name SSTables or a database's folder; --help says more");
  }
  if (!inputs.column_family.empty()) {
    return absl::InvalidArgumentError("--column_family needs a database");
  }
  DatabaseFacts named;
  for (const std::string& path : inputs.files) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "' is a folder; name a database alone"));
    }
    named.files.emplace_back().path = path;
  }
  return named;
}

Json NewReport(const char* command, const Inputs& inputs) {
  return {{"command", command},
          {"database", inputs.db.empty() ? Json() : Json(inputs.db)}};
}

void Findings::Add(const LiveFile& file, const absl::Status& status) {
  if (absl::IsNotFound(status) && !db_.empty()) {
    missing_.push_back(file.path);
    return;
  }
  problems_.emplace_back(status.message());
  // A live file that is no SSTable is damaged; one that the user named is not
  // one that this program is for.
  const bool is_damaged = absl::IsDataLoss(status) ||
                          (absl::IsInvalidArgument(status) && !db_.empty());
  if (!is_damaged) exit_code_ = kExitBadInput;
}

void Findings::Add(const FilterCensus::Findings& findings) {
  problems_.insert(problems_.end(), findings.problems.begin(),
                   findings.problems.end());
  notes_.insert(notes_.end(), findings.notes.begin(), findings.notes.end());
}

// Reads the manifest again: a file that it still names was not deleted.
// Rejected: assuming a deletion if another process has the database open, which
// made totals of the other files; reading the manifest for each of thousands.
void Findings::AddMissing() {
  if (missing_.empty()) return;
  const auto files = ListLiveFiles("DATABASE", db_, /*column_family=*/"");
  std::set<std::string> live;
  if (files.ok()) {
    for (const LiveFile& file : *files) live.insert(file.path);
  }
  for (const std::string& path : missing_) {
    if (!files.ok() || live.contains(path)) {
      AddProblem(absl::StrCat(
          path,
          ": the manifest has this file, the folder does not. Or the database "
          "has db_paths or cf_paths, which RocksDB doesn't store: then name "
          "its files"));
    } else {
      AddNote(absl::StrCat(path,
                           " was deleted after the manifest was read, by the "
                           "process that has the database open"));
    }
  }
}

void Findings::AddTo(Json* report) {
  AddMissing();
  (*report)["notes"] = notes_;
  (*report)["problems"] = problems_;
}

std::string LineName(LineKind line) {
  if (line == LineKind::kPlain) return "plain";
  if (line == LineKind::kSolved) return "solved";
  return absl::StrCat(static_cast<int>(line));
}

std::string FileLabel(const Json& file) {
  return Fill(
      "L{/level} {/name}|{/name}",
      {{"level", file.value("level", file.value("level_at_creation", Json()))},
       {"name", ShortPath(file["path"].get<std::string>())}});
}

Json FileAsJson(const LiveFile& file) {
  Json json = {{"path", file.path}};
  if (file.level != kNoLevel) {
    json["column_family"] = file.column_family;
    json["level"] = file.level;
  }
  return json;
}

Json FactsAsJson(const FileFacts& facts) {
  return {{"format_version", facts.format_version},
          {"rows", facts.rows()},
          {"range_deletions", facts.properties.num_range_deletions},
          {"filter_policy", facts.properties.filter_policy_name},
          {"level_at_creation", OrNull(facts.properties.level_at_creation)},
          {"filter", FilterAsJson(facts)}};
}

}  // namespace linebloom::tools
