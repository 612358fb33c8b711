// linebloom dump: the filters of SSTables.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "table/file_facts.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/database/file_walk.h"
#include "tools/dump/inputs.h"
#include "tools/report/commands.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// What the filters answered by the info log's last statistics. Null without
// any.
Json ObservedAsJson(const InfoLogFacts& log) {
  if (log.until.empty()) return nullptr;
  return {{"log", std::filesystem::path(log.path).filename()},
          {"until", log.until},
          {"negatives", log.filters.negatives},
          {"true_positives", log.filters.true_positives},
          {"false_positives", log.filters.false_positives},
          {"false_positive_rate", OrNull(log.filters.false_positive_rate())}};
}

// "linebloom solved", "12x RocksDB Bloom", "full, not read".
std::string NameOf(const FileFacts& facts) {
  const bool is_own = facts.first.kind == BlockKind::kLinebloom;
  return absl::StrCat(
      facts.filter_kind == FilterKind::kPartitioned
          ? absl::StrCat(facts.blocks, "x ")
          : "",
      !facts.is_used() ? absl::StrCat(ToString(facts.filter_kind), ", not read")
      : facts.mixed    ? "mixed"
      : is_own         ? "linebloom " + LineName(facts.first.info.request.line)
                       : std::string(ToString(facts.first.kind)));
}

Json LinebloomAsJson(const FileFacts& facts) {
  const FilterBlockInfo& info = facts.first.info;
  const bool has_bits = info.request.false_positive_rate == 0;
  return {{"version", info.version},
          {"line", LineName(info.request.line)},
          {"requested_bits_per_key",
           has_bits ? Json(info.request.millibits_per_key / 1000.0) : Json()},
          {"level_aware", info.request.level_aware},
          // As text, because many JSON parsers limit numbers to 53 bits.
          {"hash_seed", absl::StrCat(info.request.hash_seed)},
          {"canonical_key", absl::StrCat(info.request.canonical_key)},
          {"false_positive_rate", OrNull(facts.rate_in_metadata)}};
}

Json FilterAsJson(const FileFacts& facts) {
  if (!facts.has_filter()) return nullptr;
  Json json = {{"name", NameOf(facts)},
               {"kind", ToString(facts.filter_kind)},
               {"type", facts.mixed ? "mixed" : ToString(facts.first.kind)},
               {"compatibility_name", facts.compatibility_name},
               {"blocks", facts.blocks},
               {"bytes", facts.bytes},
               {"bits_per_key", OrNull(facts.bits_per_key())},
               {"keys", OrNull(facts.keys)}};
  if (!facts.is_used()) return json;
  json["false_positive_rate"] = facts.rate_is_known ? Json(facts.rate) : Json();
  json["false_positive_rate_is_exact"] = facts.rate_is_exact;
  if (facts.first.kind == BlockKind::kLinebloom) {
    json["metadata"] = LinebloomAsJson(facts);
  }
  return json;
}

// Sums over files.
struct Totals {
  uint64_t files = 0;
  uint64_t without_filter = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  uint64_t keys = 0;  // rows if the number of keys is unknown
  double rate_times_rows = 0;
  double rates = 0;  // of files with rows
  bool rate_is_known = true;
  bool rate_is_exact = true;
  double reads = 0;  // per missing row

  void Add(const FileFacts& facts) {
    ++files;
    without_filter += facts.is_used() ? 0 : 1;
    rows += facts.rows();
    bytes += facts.bytes;
    keys += facts.keys.value_or(facts.rows());
    rate_times_rows += facts.rate * facts.rows();
    rates += facts.rows() > 0 ? facts.rate : 0;
    rate_is_known &= facts.rate_is_known;
    rate_is_exact &= facts.rate_is_exact || !facts.is_used();
  }

  // The mean of the files', weighted by rows.
  double rate() const { return rows == 0 ? 1 : rate_times_rows / rows; }

  Json AsJson(bool has_levels) const {
    return {{"files", files},
            {"files_without_filter", without_filter},
            {"rows", rows},
            {"filter_bytes", bytes},
            {"bits_per_key",
             keys == 0 || bytes == 0 ? Json() : Json(8.0 * bytes / keys)},
            {"false_positive_rate", rate_is_known ? Json(rate()) : Json()},
            {"false_positive_rate_is_exact", rate_is_exact},
            {"reads_per_missing_row",
             has_levels && rate_is_known ? Json(reads) : Json()}};
  }
};

// Sums over the files of a column family, by level.
struct FamilyTotals {
  std::map<int, Totals> levels;
  Totals all;

  void Add(const LiveFile& file, const FileFacts& facts) {
    levels[file.level].Add(facts);
    all.Add(facts);
  }

  // `levels`, and `all` of them. A lookup of a missing row probes every file of
  // level 0 and one of each level below, chosen by rows. The data blocks that
  // it reads are null for files without a level.
  Json AsJson() {
    Json json = {{"levels", Json::array()}};
    const bool has_levels = !levels.contains(kNoLevel);
    for (auto& [level, totals] : levels) {
      if (!has_levels) break;
      if (totals.rows > 0) {
        totals.reads = level == 0 ? totals.rates : totals.rate();
      }
      all.reads += totals.reads;
      json["levels"].push_back({{"level", level}});
      json["levels"].back().update(totals.AsJson(has_levels));
    }
    json["all"] = all.AsJson(has_levels);
    return json;
  }
};

// "0.128", or "~0.128" if it is an estimate; "?" if there is none.
std::string RateText(const Json& of) {
  return Fill(of.value("false_positive_rate_is_exact", false)
                  ? "{/false_positive_rate:%}"
                  : "~{/false_positive_rate:%}|?",
              of);
}

std::string LevelsTable(const Json& family) {
  Json rows = family["levels"];
  rows.push_back(family["all"]);
  for (Json& row : rows) row["rate"] = RateText(row);
  return TextTable({{"Level", "L{/level}|all"},
                    {"files", "{/files:,}"},
                    {"unfiltered", "{/files_without_filter:,}"},
                    {"rows", "{/rows:,}"},
                    {"filter bytes", "{/filter_bytes:,}"},
                    {"b/key", "{/bits_per_key:.2f}"},
                    {"FPR %", "{/rate}"},
                    {"reads/1,000", "{/reads_per_missing_row:1000}"}},
                   rows);
}

std::string FilesTable(Json rows) {
  for (Json& row : rows) {
    row["label"] = FileLabel(row);
    row["rate"] = row["filter"].is_null() ? "100" : RateText(row["filter"]);
  }
  return TextTable({{"File", "{/label}"},
                    {"rows", "{/rows:,}"},
                    {"filter", "{/filter/name}|none"},
                    {"bytes", "{/filter/bytes:,}|0"},
                    {"b/key", "{/filter/bits_per_key:.2f}"},
                    {"FPR %", "{/rate}"}},
                   rows);
}

// Explains the columns, and where there is more.
std::string NotesText(const Json& report) {
  std::string text = BulletText(
      "FPR: the share of missing keys that the filter lets pass; ~ an "
      "estimate, "
      "others are exact, from the filter's bits.");
  if (!report["totals"][0]["levels"].empty()) {
    absl::StrAppend(
        &text,
        BulletText("Reads/1,000: data blocks that 1,000 lookups of missing "
                   "rows read, with all filters in memory. A lookup meets each "
                   "file of L0 and one of each level below; a file without a "
                   "filter always reads."));
  }
  const std::string observed = Fill(
      "Observed until {/until}, says {/log}: {/false_positive_rate:%} % false "
      "positives: {/false_positives:,}, and {/negatives:,} files skipped.|",
      report["observed"]);
  if (!observed.empty()) absl::StrAppend(&text, BulletText(observed));
  if (!report["database"].is_null()) {
    absl::StrAppend(
        &text,
        BulletText("Whether filters and indexes fit the block cache: linebloom "
                   "advise " +
                   ShellQuoted(report["database"].get<std::string>())));
  }
  return text + BulletsText(report["notes"]);
}

std::string DumpAsText(const Json& report) {
  if (report["files"].empty()) {
    // Or stderr has said everything.
    return report["problems"].empty() ? "The database has no SSTables.\n" : "";
  }
  std::string text;
  for (const Json& family : report["totals"]) {
    Json files = Json::array();
    for (const Json& file : report["files"]) {
      if (Json(file.value("column_family", "")) == family["column_family"]) {
        files.push_back(file);
      }
    }
    if (report["totals"].size() > 1) {
      absl::StrAppend(&text, Fill("Column family {/column_family}\n", family));
    }
    if (files.size() > 1 || !family["levels"].empty()) {
      absl::StrAppend(&text, LevelsTable(family), "\n");
    }
    absl::StrAppend(&text, FilesTable(std::move(files)), "\n");
  }
  return text + NotesText(report);
}

absl::StatusOr<Outcome> RunDump(const DatabaseFacts& database) {
  Json json = NewReport(database);
  json["totals"] = Json::array();
  std::vector<std::pair<std::string, FamilyTotals>> families;
  const auto visit = [&](const LiveFile& live, const SstFile& file,
                         Findings* findings) -> absl::Status {
    ASSIGN_OR_RETURN(const FileFacts facts, ReadFileFacts(file));
    for (const std::string& problem : facts.problems) {
      findings->problems.push_back(absl::StrCat(live.path, ": ", problem));
    }
    Json& shown = json["files"].emplace_back(FileAsJson(live));
    shown.update({{"format_version", facts.format_version},
                  {"rows", facts.rows()},
                  {"range_deletions", facts.properties.num_range_deletions},
                  {"filter_policy", facts.properties.filter_policy_name},
                  {"filter", FilterAsJson(facts)}});
    if (families.empty() || families.back().first != live.column_family) {
      families.emplace_back(live.column_family, FamilyTotals());
    }
    families.back().second.Add(live, facts);
    return absl::OkStatus();
  };
  const Findings findings = WalkFiles(database, "reading filters", visit);
  RETURN_IF_ERROR(CheckInterrupt());
  for (auto& [name, totals] : families) {
    json["totals"].push_back(totals.AsJson());
    json["totals"].back()["column_family"] = name;
  }
  json["observed"] = ObservedAsJson(database.log);
  findings.AddTo(&json);
  return Outcome{DumpAsText(json), json, findings.exit_code};
}

Runner DeclareDump(CLI::App* app) { return DeclareInputs(app, RunDump); }

}  // namespace

const Subcommand kDump = {"dump",
                          R"(shows the filters of SSTables.

For each file, level and database: its filter and the filter's size, the
false-positive rate to expect, and the data blocks that a lookup of a missing
row will read.

  linebloom dump 000123.sst
  linebloom dump /var/lib/my_database

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
                          DeclareDump};

}  // namespace linebloom::tools
