#include "tools/filter_dump/table.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/expected_reads.h"
#include "filter_policy/rocksdb/filter_metric_set.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/text.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/json_values.h"
#include "tools/shared/progress.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

using Counts = std::map<std::string, uint64_t>;

// " rocksdb.bloom.filter.useful COUNT : 1234"
void TakeCount(absl::string_view line, Counts* counts) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, ' ', absl::SkipEmpty());
  uint64_t count = 0;
  if (words.size() == 4 && words[1] == "COUNT" &&
      absl::SimpleAtoi(words[3], &count)) {
    (*counts)[std::string(words[0])] = count;
  }
}

uint64_t Count(const Counts& counts, absl::string_view what) {
  const auto found = counts.find(absl::StrCat("rocksdb.bloom.filter.", what));
  return found == counts.end() ? 0 : found->second;
}

// The same as ReadFilterAnswers() for RocksDB's statistics. Older releases lack
// prefix.true.positive and count the prefixes of scans in the other two.
FilterAnswers AnswersOf(const Counts& counts) {
  FilterAnswers answers;
  answers.negatives = Count(counts, "useful");
  answers.positives = Count(counts, "full.positive");
  answers.true_positives = Count(counts, "full.true.positive");
  if (counts.count("rocksdb.bloom.filter.prefix.true.positive") > 0) {
    const uint64_t useful = Count(counts, "prefix.useful");
    const uint64_t checked = Count(counts, "prefix.checked");
    answers.negatives += useful;
    answers.positives += checked > useful ? checked - useful : 0;
    answers.true_positives += Count(counts, "prefix.true.positive");
  }
  return answers;
}

// The last statistics in the LOG of the database's folder. RocksDB writes them
// every DBOptions::stats_dump_period_sec, by default ten minutes, if the
// database has DBOptions::statistics. Nothing if there are none.
std::optional<LoggedAnswers> ReadLoggedAnswers(const std::string& folder) {
  std::ifstream log(absl::StrCat(folder, "/LOG"));
  std::string when;
  Counts counts;
  for (std::string line; std::getline(log, line);) {
    if (absl::EndsWith(line, "] STATISTICS:")) {
      when = line.substr(0, line.find(' '));
      counts.clear();
    } else if (absl::StartsWith(line, " rocksdb.") ||
               absl::StartsWith(line, "rocksdb.")) {
      TakeCount(line, &counts);
    }
  }
  if (when.empty()) return std::nullopt;
  return LoggedAnswers{when, AnswersOf(counts)};
}

// Adds everything that is additive. Rates are weighted sums until Finish.
void AddFile(const FileFacts& facts, Totals* totals) {
  if (totals->files == 0) totals->rate = 0;
  ++totals->files;
  if (!facts.is_used()) ++totals->files_without_filter;
  totals->rows += facts.rows();
  totals->filter_bytes += facts.bytes;
  totals->keys += facts.keys.value_or(facts.rows());
  totals->rate += facts.rate * static_cast<double>(facts.rows());
  totals->rate_is_exact &= facts.rate_is_exact || !facts.is_used();
}

void Finish(Totals* totals) {
  if (totals->files == 0) return;
  totals->rate =
      totals->rows == 0 ? 1 : totals->rate / static_cast<double>(totals->rows);
}

absl::StatusOr<FileFacts> Describe(const std::string& path) {
  const absl::StatusOr<FilterFile> file = OpenFilterFile(path);
  if (!file.ok()) return file.status();
  return ReadFileFacts(*file);
}

FamilyTable* TableOf(const std::string& family, TableReport* report) {
  if (report->families.empty() || report->families.back().name != family) {
    report->families.emplace_back().name = family;
  }
  return &report->families.back();
}

std::string BitsText(const std::optional<double>& bits_per_key) {
  if (!bits_per_key.has_value()) return "-";
  return *bits_per_key < 100 ? absl::StrFormat("%.2f", *bits_per_key)
                             : ThreeDigits(*bits_per_key);
}

constexpr size_t kAskedColumn = 3;
constexpr size_t kLinesColumn = 7;
constexpr size_t kFillColumn = 8;
constexpr size_t kHeatColumn = 9;

// All columns, which are more than fit.
std::vector<std::string> RowOf(const TableEntry& entry) {
  const std::string name = FileLabel(entry.file);
  if (!entry.facts.has_value()) {
    return {name, "-", "can't be read", "-", "-", "-", "-", "-", "-", "-",
            "-",  "-"};
  }
  const FileFacts& facts = *entry.facts;
  const std::string keys = facts.has_filter() && facts.keys.has_value()
                               ? ShortCount(*facts.keys)
                               : "-";
  return {name,
          ShortCount(facts.rows()),
          FilterName(facts),
          AskedText(facts),
          ShortCount(facts.bytes),
          BitsText(facts.bits_per_key()),
          ProbesText(facts),
          facts.lines == 0 ? "-" : ShortCount(facts.lines),
          FillText(facts),
          HeatText(facts.heat),
          RateText(facts),
          keys};
}

bool AnyAskedSpecially(const FamilyTable& family) {
  return std::any_of(family.entries.begin(), family.entries.end(),
                     [](const TableEntry& entry) {
                       return entry.facts.has_value() &&
                              AskedSpecially(*entry.facts);
                     });
}

std::string FilesTable(const FamilyTable& family) {
  std::vector<std::vector<std::string>> rows = {
      {"File", "rows", "filter", "asked", "bytes", "b/key", "k", "lines",
       "fill", "heat", "FPR %", "keys"}};
  for (const TableEntry& entry : family.entries) rows.push_back(RowOf(entry));
  // If the bits are the same for every file, b/key shows them, and the number
  // of lines follows from the bytes.
  const auto drop = AnyAskedSpecially(family) ? kLinesColumn : kAskedColumn;
  const auto drop_too = AnyHeat(family) ? kFillColumn : kHeatColumn;
  for (auto& row : rows) {
    row.erase(row.begin() + drop_too);
    row.erase(row.begin() + drop);
  }
  TablePrinter table(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) table.AddRow(rows[i]);
  return table.Text();
}

void AddTotalsRow(const std::string& name, const Totals& totals,
                  TablePrinter* table) {
  table->AddRow({name, WithThousands(totals.files),
                 WithThousands(totals.files_without_filter),
                 WithThousands(totals.rows), WithThousands(totals.filter_bytes),
                 BitsText(totals.bits_per_key()),
                 RateText(totals.rate, totals.rate_is_exact),
                 totals.reads.has_value() ? ThreeDigits(*totals.reads) : "-"});
}

std::string LevelsTable(const FamilyTable& family) {
  TablePrinter table({"Level", "files", "unfiltered", "rows", "filter bytes",
                      "b/key", "FPR %", "reads per missing row"});
  for (const LevelTotals& level : family.levels) {
    AddTotalsRow(absl::StrCat("L", level.level), level.totals, &table);
  }
  AddTotalsRow("all", family.all, &table);
  return table.Text();
}

uint64_t DescribedFiles(const TableReport& report) {
  uint64_t files = 0;
  for (const FamilyTable& family : report.families) files += family.all.files;
  return files;
}

// Explains what the tables don't.
std::string Legend(const TableReport& report) {
  bool levels = false;
  bool estimates = false;
  bool solved = false;
  bool asked = false;
  bool heat = false;
  for (const FamilyTable& family : report.families) {
    asked |= AnyAskedSpecially(family);
    heat |= AnyHeat(family);
    levels |= !family.levels.empty();
    for (const TableEntry& entry : family.entries) {
      if (!entry.facts.has_value() || !entry.facts->is_used()) continue;
      estimates |= !entry.facts->rate_is_exact;
      solved |= entry.facts->first.has_solved_lines();
    }
  }
  std::string text = BulletText(absl::StrCat(
      "FPR: the share of missing keys that the filter lets pass",
      estimates ? "; ~ an estimate, others are exact, from the filter's bits."
                : ", exact, from the filter's bits."));
  if (solved) {
    absl::StrAppend(
        &text,
        BulletText("Solved lines: k is the range of probes per key, the fewest "
                   "in the line with the most keys; about half of the bits "
                   "are set in any line, so there is no fill."));
  }
  if (asked) {
    absl::StrAppend(&text, BulletText("Asked: bits per key or, in %, the "
                                      "highest rate; L: that of its level."));
  }
  if (heat) {
    absl::StrAppend(
        &text,
        BulletText("Heat: lookups per key around the filter's keys when it was "
                   "built, relative to the average over all keys, by which it "
                   "got its bits; reads per missing row are weighted by it."));
  }
  if (levels) {
    absl::StrAppend(
        &text,
        BulletText("Reads per missing row: data blocks, if the key is in the "
                   "range of every file of L0 and of one file of each level "
                   "below; a file without a filter is always read."));
  }
  return text;
}

using Json = nlohmann::ordered_json;

Json TotalsAsJson(const Totals& totals) {
  return {{"files", totals.files},
          {"files_without_filter", totals.files_without_filter},
          {"rows", totals.rows},
          {"filter_bytes", totals.filter_bytes},
          {"bits_per_key", OrNull(totals.bits_per_key())},
          {"false_positive_rate", totals.rate},
          {"false_positive_rate_is_exact", totals.rate_is_exact},
          {"reads_per_missing_row", OrNull(totals.reads)}};
}

Json ObservedAsJson(const LoggedAnswers& observed) {
  const FilterAnswers& answers = observed.answers;
  return {{"until", observed.when},
          {"negatives", answers.negatives},
          {"positives", answers.positives},
          {"true_positives", answers.true_positives},
          {"false_positive_rate", OrNull(answers.false_positive_rate())}};
}

Json FamilyAsJson(const FamilyTable& family) {
  Json json = {{"levels", Json::array()}, {"all", TotalsAsJson(family.all)}};
  for (const LevelTotals& level : family.levels) {
    Json totals = {{"level", level.level}};
    totals.update(TotalsAsJson(level.totals));
    json["levels"].push_back(totals);
  }
  if (!family.name.empty()) json["column_family"] = family.name;
  return json;
}

void AddFiles(const std::string& database, const FamilyTable& family,
              FilterMetricSet* metrics) {
  for (const TableEntry& entry : family.entries) {
    if (!entry.facts.has_value()) continue;
    const FileFacts& facts = *entry.facts;
    MeteredFile file;
    file.level = entry.file.level;
    file.rows = facts.rows();
    file.policy = facts.properties.filter_policy_name;
    file.keys = facts.keys.value_or(0);
    file.bytes = facts.bytes;
    metrics->AddFile(database, family.name, file);
  }
}

}  // namespace

std::optional<double> Totals::bits_per_key() const {
  if (keys == 0 || filter_bytes == 0) return std::nullopt;
  return 8.0 * static_cast<double>(filter_bytes) / static_cast<double>(keys);
}

bool AnyHeat(const FamilyTable& table) {
  return std::any_of(
      table.entries.begin(), table.entries.end(), [](const TableEntry& entry) {
        return entry.facts.has_value() && entry.facts->heat.has_value();
      });
}

void AddTotals(FamilyTable* table) {
  std::map<int, Totals> levels;
  ExpectedReads reads;
  for (const TableEntry& entry : table->entries) {
    if (!entry.facts.has_value()) continue;
    AddFile(*entry.facts, &levels[entry.file.level]);
    AddFile(*entry.facts, &table->all);
    if (entry.file.level == kNoLevel) continue;
    reads.Add(entry.file.level, entry.facts->lookups(), entry.facts->rate);
  }
  Finish(&table->all);
  for (auto& [level, totals] : levels) {
    Finish(&totals);
    if (level == kNoLevel) continue;
    totals.reads = reads.OfLevel(level);
    table->all.reads = reads.All();
    table->levels.push_back({level, totals});
  }
}

absl::StatusOr<TableReport> MakeTable(const FilterDumpConfig& config) {
  const absl::StatusOr<std::vector<LiveFile>> files = ListInputs(config);
  if (!files.ok()) return files.status();
  TableReport report;
  report.database = config.db;
  if (!config.db.empty()) report.observed = ReadLoggedAnswers(config.db);
  Failures failures(config);
  Progress progress;
  progress.Begin("reading filters", files->size());
  uint64_t done = 0;
  for (const LiveFile& file : *files) {
    if (Interrupted()) return CheckInterrupt();
    TableEntry entry = {file, std::nullopt};
    absl::StatusOr<FileFacts> facts = Describe(file.path);
    if (facts.ok()) {
      for (const std::string& problem : facts->problems) {
        failures.AddProblem(absl::StrCat(file.path, ": ", problem));
      }
      entry.facts = *std::move(facts);
    } else {
      failures.Add(file, facts.status());
    }
    TableOf(file.column_family, &report)->entries.push_back(std::move(entry));
    progress.Update(++done);
  }
  for (FamilyTable& family : report.families) AddTotals(&family);
  report.notes = failures.notes();
  report.problems = failures.problems();
  report.exit_code = failures.exit_code();
  return report;
}

std::string TableAsText(const TableReport& report) {
  if (report.families.empty()) return "The database has no SSTables.\n";
  // stderr has said everything.
  if (DescribedFiles(report) == 0) return "";
  std::string text;
  for (const FamilyTable& family : report.families) {
    if (report.families.size() > 1) {
      absl::StrAppend(&text, "Column family ", family.name, "\n");
    }
    absl::StrAppend(&text, FilesTable(family), "\n");
    if (family.entries.size() > 1 || !family.levels.empty()) {
      absl::StrAppend(&text, LevelsTable(family), "\n");
    }
  }
  absl::StrAppend(&text, Legend(report));
  if (report.observed.has_value() &&
      report.observed->answers.probes_without_key() > 0) {
    absl::StrAppend(
        &text, BulletText(absl::StrCat(
                   "Observed until ", report.observed->when,
                   ", says LOG: ", ToString(report.observed->answers), ".")));
  }
  for (const std::string& note : report.notes) {
    absl::StrAppend(&text, BulletText(note));
  }
  return text;
}

Json TableAsJson(const TableReport& report) {
  Json json = {{"command", "table"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", Json::array()},
               {"totals", Json::array()}};
  for (const FamilyTable& family : report.families) {
    for (const TableEntry& entry : family.entries) {
      Json file = FileAsJson(entry.file);
      if (entry.facts.has_value()) file.update(FactsAsJson(*entry.facts));
      json["files"].push_back(file);
    }
    json["totals"].push_back(FamilyAsJson(family));
  }
  json["observed"] = report.observed.has_value()
                         ? ObservedAsJson(*report.observed)
                         : Json(nullptr);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

std::string TableAsPrometheus(const TableReport& report) {
  FilterMetricSet metrics;
  Metric rate("linebloom_expected_false_positive_rate", "gauge",
              "Share of missing keys that filters let pass.");
  Metric reads("linebloom_expected_reads_per_missing_row", "gauge",
               "Data blocks that a missing row costs.");
  Metric problems("linebloom_problems", "gauge",
                  "What is wrong with files; stderr says what.");
  const std::string& database = report.database;
  if (report.observed.has_value()) {
    metrics.AddAnswers(database, report.observed->answers);
  }
  for (const FamilyTable& family : report.families) {
    AddFiles(database, family, &metrics);
    for (const LevelTotals& level : family.levels) {
      const std::string number = absl::StrCat(level.level);
      const MetricLabels labels = {{"database", database},
                                   {"column_family", family.name},
                                   {"level", number}};
      rate.Add(labels, absl::StrCat(level.totals.rate));
      reads.Add(labels, absl::StrCat(level.totals.reads.value_or(0)));
    }
  }
  problems.Add({{"database", database}}, report.problems.size());
  return absl::StrCat(metrics.Text(), rate.Text(), reads.Text(),
                      problems.Text());
}

}  // namespace linebloom::tools
