#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/filter_dump/table/table.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

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
      solved |= HasSolvedLines(entry.facts->first);
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

}  // namespace

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

}  // namespace linebloom::tools
