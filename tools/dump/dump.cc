#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "rocksdb/comparator.h"
#include "table/file_facts.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
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
          {"positives", log.filters.positives},
          {"true_positives", log.filters.true_positives},
          {"false_positives", log.filters.false_positives()},
          {"probes_without_key", log.filters.probes_without_key()},
          {"false_positive_rate", OrNull(log.filters.false_positive_rate())}};
}

// True if the value is there, and neither null nor false.
bool IsSet(const Json& json, const char* pointer) {
  const Json::json_pointer at(pointer);
  return json.contains(at) && !json[at].is_null() && json[at] != false;
}

bool AnyIsSet(const Json& files, const char* pointer) {
  return std::ranges::any_of(
      files, [&](const Json& file) { return IsSet(file, pointer); });
}

// "linebloom solved", "12x RocksDB Bloom", "full, not read".
std::string NameOf(const Json& filter) {
  std::string name = filter["type"];
  if (!filter.contains("false_positive_rate")) {
    name = Fill("{/kind}, not read", filter);
  } else if (name != "mixed" && filter.contains("metadata")) {
    name = Fill("linebloom {/metadata/line}", filter);
  }
  return filter["kind"] == std::string(ToString(FilterKind::kPartitioned))
             ? Fill("{/blocks}x ", filter) + name
             : name;
}

// "0.128", or "~0.128" if it is an estimate; "?" if there is none.
std::string RateText(const Json& of) {
  return Fill(IsSet(of, "/false_positive_rate_is_exact")
                  ? "{/false_positive_rate:%}"
                  : "~{/false_positive_rate:%}|?",
              of);
}

// The file with the cells that are put together of several values.
Json RowOf(const Json& file) {
  Json row = file;
  row["label"] = FileLabel(file);
  row["name"] = "can't be read";
  if (!file.contains("rows")) return row;
  const Json& filter = file["filter"];
  if (filter.is_null()) {
    row.update({{"name", "none"}, {"bytes", 0}, {"rate", "100"}});
    return row;
  }
  row["name"] = NameOf(filter);
  row["bytes"] = filter["bytes"];
  row["rate"] = RateText(filter);
  if (!filter.contains("false_positive_rate")) return row;
  // "7" bits per key, or "7L" if that depends on the level.
  row["request"] = Fill("{/metadata/requested_bits_per_key:.3g}", filter) +
                   (IsSet(filter, "/metadata/level_aware") ? "L" : "");
  return row;
}

std::string FilesTable(const Json& files) {
  Json rows = Json::array();
  for (const Json& file : files) rows.push_back(RowOf(file));
  const bool requests = AnyIsSet(files, "/filter/metadata/level_aware");
  const bool keys = std::ranges::any_of(files, [](const Json& file) {
    return IsSet(file, "/filter/keys") &&
           file["filter"]["keys"] != file["rows"];
  });
  std::vector<Column> columns = {
      {"File", "{/label}"}, {"rows", "{/rows:,}"}, {"filter", "{/name}"}};
  if (requests) columns.push_back({"request", "{/request}"});
  columns.insert(columns.end(), {{"bytes", "{/bytes:,}"},
                                 {"b/key", "{/filter/bits_per_key:.2f}"},
                                 {"FPR %", "{/rate}"}});
  if (keys) columns.push_back({"keys", "{/filter/keys:,}"});
  return TextTable(columns, rows);
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

// Explains the columns.
std::string Legend(const Json& report) {
  const Json& files = report["files"];
  const bool estimates = std::ranges::any_of(files, [](const Json& file) {
    return IsSet(file, "/filter/false_positive_rate") &&
           !IsSet(file, "/filter/false_positive_rate_is_exact");
  });
  const bool levels = std::ranges::any_of(
      report["totals"],
      [](const Json& family) { return !family["levels"].empty(); });
  std::vector<std::string> notes = {absl::StrCat(
      "FPR: the share of missing keys that the filter lets pass",
      estimates ? "; ~ an estimate, others are exact, from the filter's bits."
                : ", exact, from the filter's bits.")};
  if (AnyIsSet(files, "/filter/metadata/level_aware")) {
    notes.emplace_back("Request: bits per key; L: set by level.");
  }
  if (!levels && AnyIsSet(files, "/level_at_creation")) {
    notes.emplace_back(
        "L: the level that a file was written for; it may have been moved.");
  }
  if (levels) {
    notes.emplace_back(
        "Reads/1,000: data blocks that 1,000 lookups of missing rows read, "
        "with all filters in memory. A lookup meets each file of L0 and one of "
        "each level below; a file without a filter always reads.");
  }
  return BulletsText(notes);
}

std::string TableAsText(const Json& report) {
  if (report["totals"].empty()) return "The database has no SSTables.\n";
  std::string text;
  uint64_t described = 0;
  for (const Json& family : report["totals"]) {
    described += family["all"]["files"].get<uint64_t>();
    Json files = Json::array();
    for (const Json& file : report["files"]) {
      if (file.value("column_family", "") ==
          family.value("column_family", "")) {
        files.push_back(file);
      }
    }
    if (report["totals"].size() > 1) {
      absl::StrAppend(&text, Fill("Column family {/column_family}\n", family));
    }
    if (files.size() > 1 || !family["levels"].empty()) {
      absl::StrAppend(&text, LevelsTable(family), "\n");
    }
    absl::StrAppend(&text, FilesTable(files), "\n");
  }
  if (described == 0) return "";  // stderr has said everything
  const std::string observed = Fill(
      "Observed until {/until}, says {/log}: {/false_positive_rate:%} % false "
      "positives: {/false_positives:,} of {/probes_without_key:,} probes of "
      "files without the key.|",
      report["observed"]);
  absl::StrAppend(&text, Legend(report),
                  observed.empty() ? "" : BulletText(observed));
  if (!report["database"].is_null()) {
    absl::StrAppend(
        &text, BulletText(absl::StrCat(
                   "Whether filters and indexes fit the block cache: linebloom "
                   "advise ",
                   ShellQuoted(report["database"].get<std::string>()))));
  }
  return absl::StrCat(text, BulletsText(report["notes"]));
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
  std::optional<double> reads;  // per missing row

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

  // The rate is the mean of the files', weighted by rows.
  Json AsJson() const {
    return {{"files", files},
            {"files_without_filter", without_filter},
            {"rows", rows},
            {"filter_bytes", bytes},
            {"bits_per_key",
             keys == 0 || bytes == 0 ? Json() : Json(8.0 * bytes / keys)},
            {"false_positive_rate",
             !rate_is_known ? Json()
                            : Json(rows == 0 ? 1 : rate_times_rows / rows)},
            {"false_positive_rate_is_exact", rate_is_exact},
            {"reads_per_missing_row", OrNull(reads)}};
  }
};

// Sums over the files of a column family, by level.
class FamilyTotals {
 public:
  void Add(const LiveFile& file, const FileFacts& facts) {
    levels_[file.level].Add(facts);
    all_.Add(facts);
  }

  // `levels`, and `all` of them. A lookup of a missing row probes every file of
  // level 0 and one of each level below, chosen by rows. The data blocks that
  // it reads are null for files without a level.
  Json AsJson() {
    Json json = {{"levels", Json::array()}};
    if (!levels_.contains(kNoLevel)) {
      double reads = 0;
      for (auto& [level, totals] : levels_) {
        const double rows = std::max<uint64_t>(totals.rows, 1);
        const double here =
            level == 0 ? totals.rates : totals.rate_times_rows / rows;
        reads += here;
        if (totals.rate_is_known) totals.reads = here;
        json["levels"].push_back({{"level", level}});
        json["levels"].back().update(totals.AsJson());
      }
      if (all_.rate_is_known) all_.reads = reads;
    }
    json["all"] = all_.AsJson();
    return json;
  }

 private:
  std::map<int, Totals> levels_;
  Totals all_;
};

absl::StatusOr<Outcome> RunDump(const Inputs& inputs) {
  ASSIGN_OR_RETURN(const DatabaseFacts database, ReadInputs(inputs));
  Json json = NewReport("dump", inputs);
  json.update({{"files", Json::array()},
               {"totals", Json::array()},
               {"observed", ObservedAsJson(database.log)}});
  std::vector<std::pair<std::string, FamilyTotals>> families;
  FilterCensus census;
  Findings findings(inputs.db);
  Progress progress;
  progress.Begin("reading filters", database.files.size());
  for (const LiveFile& live : database.files) {
    RETURN_IF_ERROR(CheckInterrupt());
    if (families.empty() || families.back().first != live.column_family) {
      families.emplace_back(live.column_family, FamilyTotals());
    }
    Json& of_file = json["files"].emplace_back(FileAsJson(live));
    progress.Update(json["files"].size());
    const absl::StatusOr<SstFile> file = SstFile::Open(live.path);
    const absl::StatusOr<FileFacts> facts =
        file.ok() ? ReadFileFacts(*file) : file.status();
    if (!facts.ok()) {
      findings.Add(live, facts.status());
      continue;
    }
    for (const std::string& problem : facts->problems) {
      findings.AddProblem(absl::StrCat(live.path, ": ", problem));
    }
    of_file.update(FactsAsJson(*facts));
    families.back().second.Add(live, *facts);
    census.Add(live, *file);
  }
  for (auto& [name, totals] : families) {
    json["totals"].push_back(totals.AsJson());
    if (!name.empty()) json["totals"].back()["column_family"] = name;
  }
  findings.Add(census.Judge(database));
  findings.AddTo(&json);
  return Outcome{TableAsText(json), json, findings.exit_code()};
}

Runner DeclareDump(CLI::App* app) {
  const auto inputs = std::make_shared<Inputs>();
  AddInputs(app, inputs.get());
  return [inputs] { return RunDump(*inputs); };
}

}  // namespace

const Subcommand kDump = {"dump",
                          R"(shows the filters of SSTables.

For each file, level and database: its filter and the filter's size, the
false-positive rate to expect, and the data blocks that a lookup of a missing
row will read.

  linebloom dump 000123.sst
  linebloom dump /var/lib/my_database
  linebloom dump /var/lib/my_database --html=tree.html

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
                          DeclareDump,
                          /*has_page=*/true};

}  // namespace linebloom::tools
