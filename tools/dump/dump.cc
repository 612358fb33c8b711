#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "linebloom/observed_rate.h"
#include "nlohmann/json.hpp"
#include "rocksdb/cache.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "table/expected_reads.h"
#include "table/file_facts.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/dump/filter_metric_set.h"
#include "tools/dump/inputs.h"
#include "tools/shared/databases.h"
#include "tools/shared/flags.h"
#include "tools/shared/info_log.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// What the filters answered by the info log's last statistics. Null without
// any.
Json ObservedAsJson(const InfoLogFacts& log) {
  if (log.until.empty()) return nullptr;
  return {{"until", log.until},
          {"negatives", log.filters.negatives},
          {"positives", log.filters.positives},
          {"true_positives", log.filters.true_positives},
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

// True if a request was other than bits per key that apply to every level.
bool AnyAskedSpecially(const Json& files) {
  return AnyIsSet(files, "/filter/metadata/level_aware") ||
         AnyIsSet(files, "/filter/metadata/asked_false_positive_rate");
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

// The policy's request: "10" bits per key or the rate "1%", followed by "L" if
// it depends on the level.
std::string Asked(const Json& metadata) {
  const Json& rate = metadata["asked_false_positive_rate"];
  const std::string asked =
      rate.is_null() ? Fill("{/asked_bits_per_key:.3g}", metadata)
                     : absl::StrFormat("%.3g%%", 100 * rate.get<double>());
  return absl::StrCat(asked, IsSet(metadata, "/level_aware") ? "L" : "");
}

// The range over all lines: "6" or "7.2-12.9".
std::string Probes(const Json& filter) {
  const bool solved = filter["fill"].is_null();
  const std::string min = ProbesText(filter["probes"]["min"], solved);
  const std::string max = ProbesText(filter["probes"]["max"], solved);
  return min == max ? max : absl::StrCat(min, "-", max);
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
  row["rate"] = "?";
  if (!filter.contains("false_positive_rate")) return row;
  if (filter.contains("metadata")) row["asked"] = Asked(filter["metadata"]);
  if (!filter.contains("lines")) return row;
  row["k"] = Probes(filter);
  return row;
}

std::string FilesTable(const Json& files) {
  Json rows = Json::array();
  for (const Json& file : files) rows.push_back(RowOf(file));
  const bool asked = AnyAskedSpecially(files);
  const bool keys = std::ranges::any_of(files, [](const Json& file) {
    return IsSet(file, "/filter/keys") &&
           file["filter"]["keys"] != file["rows"];
  });
  std::vector<Column> columns = {
      {"File", "{/label}"}, {"rows", "{/rows:k}"}, {"filter", "{/name}"}};
  if (asked) columns.push_back({"asked", "{/asked}"});
  columns.insert(columns.end(), {{"bytes", "{/bytes:k}"},
                                 {"b/key", "{/filter/bits_per_key:.2f}"},
                                 {"k", "{/k}"}});
  if (AnyIsSet(files, "/filter/fill")) {
    columns.push_back({"fill", "{/filter/fill:.0%}%"});
  }
  columns.push_back({"FPR %",
                     "{/filter/false_positive_rate_is_exact:~}"
                     "{/filter/false_positive_rate:rate}|{/rate}"});
  if (keys) columns.push_back({"keys", "{/filter/keys:k}"});
  return TextTable(columns, rows);
}

std::string LevelsTable(const Json& family) {
  Json rows = family["levels"];
  rows.push_back(family["all"]);
  return TextTable({{"Level", "L{/level}|all"},
                    {"files", "{/files:,}"},
                    {"unfiltered", "{/files_without_filter:,}"},
                    {"rows", "{/rows:,}"},
                    {"filter bytes", "{/filter_bytes:,}"},
                    {"b/key", "{/bits_per_key:.2f}"},
                    {"FPR %",
                     "{/false_positive_rate_is_exact:~}"
                     "{/false_positive_rate:rate}"},
                    {"reads/miss", "{/reads_per_missing_row:3}"}},
                   rows);
}

// Explains what the tables don't.
std::string Legend(const Json& report) {
  const Json& files = report["files"];
  const bool estimates = std::ranges::any_of(files, [](const Json& file) {
    return IsSet(file, "/filter/false_positive_rate") &&
           !IsSet(file, "/filter/false_positive_rate_is_exact");
  });
  const bool solved = std::ranges::any_of(files, [](const Json& file) {
    return Fill("{/filter/metadata/line}", file) == "solved";
  });
  const bool levels = std::ranges::any_of(
      report["totals"],
      [](const Json& family) { return !family["levels"].empty(); });
  std::vector<std::string> notes = {absl::StrCat(
      "FPR: the share of missing keys that the filter lets pass",
      estimates ? "; ~ an estimate, others are exact, from the filter's bits."
                : ", exact, from the filter's bits.")};
  if (solved) {
    notes.emplace_back(
        "Solved lines: k is the range of probes per key, the fewest in the "
        "line with the most keys; about half of the bits are set in any line.");
  }
  if (AnyAskedSpecially(files)) {
    notes.emplace_back(
        "Asked: bits per key or, in %, the highest rate; L: that of its "
        "level.");
  }
  if (levels) {
    notes.emplace_back(
        "Reads/miss: data blocks per missing row. A lookup meets the files "
        "whose range its key is in, one without a filter always reads.");
  }
  return BulletsText(notes);
}

FilterStats AnswersOf(const Json& observed) {
  return {observed["negatives"], observed["positives"],
          observed["true_positives"]};
}

// "0.153 % false positives: ..."; empty if no filter was probed for a key that
// its file lacks.
std::string Observed(const Json& observed) {
  if (observed.is_null()) return "";
  const FilterStats answers = AnswersOf(observed);
  if (answers.probes_without_key() == 0) return "";
  return BulletText(Fill("Observed until {/until}, says LOG: ", observed) +
                    ToString(answers) + ".");
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
    const std::string levels = files.size() > 1 || !family["levels"].empty()
                                   ? absl::StrCat(LevelsTable(family), "\n")
                                   : "";
    // The summary of many files is also where a reader begins.
    constexpr size_t kFewFiles = 50;
    absl::StrAppend(&text, files.size() > kFewFiles ? levels : "",
                    FilesTable(files), "\n", levels);
  }
  if (described == 0) return "";  // stderr has said everything
  return absl::StrCat(text, Legend(report), Observed(report["observed"]),
                      BulletsText(report["notes"]));
}

// Sums over files.
struct Totals {
  uint64_t files = 0;
  uint64_t without_filter = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  uint64_t keys = 0;  // rows if the number of keys is unknown
  double rate_times_rows = 0;
  bool rate_is_exact = true;
  std::optional<double> reads;  // per missing row

  void Add(const FileFacts& facts) {
    ++files;
    without_filter += facts.is_used() ? 0 : 1;
    rows += facts.rows();
    bytes += facts.bytes;
    keys += facts.keys.value_or(facts.rows());
    rate_times_rows += facts.rate * facts.rows();
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
            {"false_positive_rate", rows == 0 ? 1 : rate_times_rows / rows},
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
    if (file.level == kNoLevel) return;
    comparator_ = file.comparator;
    ranges_.push_back({file.smallest, file.largest, 1.0 * facts.rows()});
    rates_.emplace_back(file.level, facts.rate);
  }

  // `levels`, and `all` of them. The data blocks that a lookup of a missing row
  // reads are by PlacesOf(); null for files without a level.
  Json AsJson() {
    Json json = {{"levels", Json::array()}};
    if (comparator_ != nullptr) {
      const std::vector<Stretch> places = PlacesOf(ranges_, *comparator_);
      all_.reads = 0;
      for (size_t i = 0; i < rates_.size(); ++i) {
        std::optional<double>& reads = levels_[rates_[i].first].reads;
        reads = reads.value_or(0) + places[i].share() * rates_[i].second;
      }
      for (const auto& [level, totals] : levels_) {
        *all_.reads += *totals.reads;
        json["levels"].push_back({{"level", level}});
        json["levels"].back().update(totals.AsJson());
      }
    }
    json["all"] = all_.AsJson();
    return json;
  }

 private:
  std::map<int, Totals> levels_;
  Totals all_;
  // Of the files from a database.
  std::vector<FileRange> ranges_;
  std::vector<std::pair<int, double>> rates_;  // with their levels
  const rocksdb::Comparator* comparator_ = nullptr;
};

// The family's memory_budget in bytes; nothing without one.
std::optional<uint64_t> BudgetOf(const rocksdb::ColumnFamilyOptions& family) {
  const auto* const table = TableOptionsOf(family);
  if (table == nullptr) return std::nullopt;
  const FilterPolicyOptions* const policy =
      OptionsOfLinebloom(table->filter_policy.get());
  return policy == nullptr ? std::nullopt : policy->memory_budget;
}

// A sentence if whole filters and indexes of `files`, which share the block
// cache by the stored options, don't fit into it; else "".
std::string NoteOnCacheFit(const std::string& folder,
                           const StoredOptions& stored,
                           const std::vector<LiveFile>& files,
                           std::optional<uint64_t> cache_bytes) {
  uint64_t filters = 0;
  uint64_t indexes = 0;
  for (const LiveFile& live : files) {
    const auto family =
        std::ranges::find(stored.families, live.column_family,
                          &rocksdb::ColumnFamilyDescriptor::name);
    if (family == stored.families.end()) continue;
    const auto* const table = TableOptionsOf(family->options);
    if (table == nullptr || !table->cache_index_and_filter_blocks) continue;
    const auto file = SstFile::Open(live.path);
    if (!file.ok() || file->filter().kind == FilterKind::kPartitioned) continue;
    filters += file->filter().TotalSize();
    indexes += file->properties().index_size;
  }
  if (!cache_bytes || filters + indexes <= *cache_bytes) return "";
  return absl::StrFormat(
      "whole filters (%s MB) and indexes (%s MB) don't fit the block cache of "
      "%s MB: lookups read them again and again. 'linebloom advise %s "
      "--memory=%s' says which filters read least",
      ThreeDigits(filters / 1e6), ThreeDigits(indexes / 1e6),
      ThreeDigits(*cache_bytes / 1e6), folder,
      NumberText(*cache_bytes, Unit::kBytes));
}

absl::StatusOr<Outcome> MakeTable(const Inputs& inputs) {
  ASSIGN_OR_RETURN(const auto files, ListInputs(inputs));
  const InfoLogFacts log =
      inputs.db.empty() ? InfoLogFacts() : ReadInfoLog(inputs.db);
  Json json = NewReport("dump", inputs);
  json.update({{"files", Json::array()},
               {"totals", Json::array()},
               {"observed", ObservedAsJson(log)},
               {"memory_budgets", Json::object()}});
  std::vector<std::pair<std::string, FamilyTotals>> families;
  Failures failures(inputs.db);
  Progress progress;
  progress.Begin("reading filters", files.size());
  for (const LiveFile& file : files) {
    RETURN_IF_ERROR(CheckInterrupt());
    if (families.empty() || families.back().first != file.column_family) {
      families.emplace_back(file.column_family, FamilyTotals());
    }
    Json& of_file = json["files"].emplace_back(FileAsJson(file));
    const absl::StatusOr<FileFacts> facts = ReadFileFacts(file.path);
    progress.Update(json["files"].size());
    if (!facts.ok()) {
      failures.Add(file, facts.status());
      continue;
    }
    for (const std::string& problem : facts->problems) {
      failures.AddProblem(absl::StrCat(file.path, ": ", problem));
    }
    of_file.update(FactsAsJson(*facts));
    families.back().second.Add(file, *facts);
  }
  for (auto& [name, totals] : families) {
    json["totals"].push_back(totals.AsJson());
    if (!name.empty()) json["totals"].back()["column_family"] = name;
  }
  if (!inputs.db.empty() && !files.empty()) {
    const StoredOptions stored = LoadStoredOptions(inputs.db);
    const std::string note =
        NoteOnCacheFit(inputs.db, stored, files, log.cache_bytes);
    if (!note.empty()) failures.AddNote(note);
    ASSIGN_OR_RETURN(const auto lost, LostFilters(inputs.db, stored.families));
    for (const std::string& problem : lost) failures.AddProblem(problem);
    for (const auto& [name, options] : stored.families) {
      const auto budget = BudgetOf(options);
      const bool is_shown =
          inputs.column_family.empty() || inputs.column_family == name;
      if (budget && is_shown) json["memory_budgets"][name] = *budget;
    }
  }
  failures.AddTo(&json);
  return Outcome{TableAsText(json), json, failures.exit_code()};
}

// All metrics of a database.
std::string AsPrometheus(const Json& report) {
  FilterMetricSet metrics;
  Metric rate("linebloom_expected_false_positive_rate",
              "Share of missing keys that filters let pass.");
  Metric reads("linebloom_expected_reads_per_missing_row",
               "Data blocks that a missing row costs.");
  Metric problems("linebloom_problems",
                  "What is wrong with files; stderr says what.");
  const std::string database = report["database"];
  if (!report["observed"].is_null()) {
    metrics.AddStats(database, AnswersOf(report["observed"]));
  }
  for (const Json& file : report["files"]) {
    if (!file.contains("rows")) continue;
    const auto number = [&file](const char* pointer) {
      return IsSet(file, pointer)
                 ? file[Json::json_pointer(pointer)].get<uint64_t>()
                 : 0;
    };
    metrics.AddFile(database, file["column_family"], file["level"],
                    file["filter_policy"], number("/rows"),
                    number("/filter/keys"), number("/filter/bytes"));
  }
  for (const Json& family : report["totals"]) {
    for (const Json& level : family["levels"]) {
      const std::string number = level["level"].dump();
      const std::string name = family["column_family"];
      const MetricLabels labels = {
          {"database", database}, {"column_family", name}, {"level", number}};
      rate.Add(labels, level["false_positive_rate"]);
      reads.Add(labels, level["reads_per_missing_row"]);
    }
  }
  for (const auto& [family, bytes] : report["memory_budgets"].items()) {
    metrics.AddBudget(database, family, bytes);
  }
  problems.Add({{"database", database}}, report["problems"].size());
  return absl::StrCat(metrics.Text(), rate.Text(), reads.Text(),
                      problems.Text());
}

struct DumpConfig {
  Inputs inputs;
  std::string format = "text";
  std::string before;  // a database
};

absl::StatusOr<Outcome> RunDump(const DumpConfig& config) {
  ASSIGN_OR_RETURN(Outcome table, MakeTable(config.inputs));
  table.page_text = table.text;
  if (!config.before.empty()) {
    Inputs inputs = config.inputs;
    inputs.db = config.before;
    ASSIGN_OR_RETURN(const Outcome before, MakeTable(inputs));
    table.exit_code = std::max(table.exit_code, before.exit_code);
    table.page_text =
        absl::StrCat("Before\n\n", before.text, "\nAfter\n\n", table.text);
    Json problems = before.json["problems"];
    problems.insert(problems.end(), table.json["problems"].begin(),
                    table.json["problems"].end());
    table.json["problems"] = problems;
    table.json["before"] = before.json;
  }
  if (config.format == "prometheus") table.text = AsPrometheus(table.json);
  return table;
}

Runner DeclareDump(CLI::App* app) {
  const auto config = std::make_shared<DumpConfig>();
  AddInputs(app, &config->inputs);
  app->add_option("--format", config->format,
                  "text, or for a database prometheus: metrics in "
                  "Prometheus's text format")
      ->check(CLI::IsMember({"text", "prometheus"}))
      ->needs("--db")
      ->capture_default_str();
  app->add_option("--before", config->before,
                  "with --html of a database: another one, such as a "
                  "copy from before a change, to be drawn above it")
      ->needs("--db")
      ->needs("--html");
  return [config] { return RunDump(*config); };
}

}  // namespace

const Subcommand kDump = {"dump",
                          R"(shows the filters of SSTables.

For each file, level and database: its filter and the filter's size, the
false-positive rate to expect, and the data blocks that a lookup of a missing
row will read.

  linebloom dump 000123.sst
  linebloom dump --db=/var/lib/my_database
  linebloom dump --db=/var/lib/my_database --html=tree.html
  linebloom dump --db=/var/lib/my_database --format=prometheus

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
                          DeclareDump,
                          /*has_page=*/true};

}  // namespace linebloom::tools
