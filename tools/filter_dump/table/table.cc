#include "tools/filter_dump/table/table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/expected_reads.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/progress.h"

namespace linebloom::tools {
namespace {

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

}  // namespace linebloom::tools
