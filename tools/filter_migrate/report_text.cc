#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/rebuild/judgement.h"
#include "tools/filter_migrate/policies.h"
#include "tools/filter_migrate/report.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr size_t kTextWidth = 100;

// The files of one level that are rewritten for the same reason.
struct Group {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  double rate = 0;        // weighted sum over the rows
  double rate_after = 0;  // weighted sum over the rows
  double saved_reads = 0;
};

const char* WhereLookupsFall(LookupSource source) {
  switch (source) {
    case LookupSource::kEven:
      return "lookups fall evenly";
    case LookupSource::kFilters:
      return "lookups fall by the heat that the filters record";
    case LookupSource::kListener:
      return "lookups fall as they have in this process";
  }
  return "";
}

std::string Percent(double sum, uint64_t rows) {
  if (rows == 0) return "-";
  return absl::StrFormat("%.4f", 100 * sum / static_cast<double>(rows));
}

// Column families in order, levels from the top.
std::string GroupsTable(const MigrateReport& report, size_t family) {
  const std::string& name = report.rebuild.reads[family].column_family;
  std::map<std::tuple<int, RebuildReason>, Group> groups;
  for (const FileRebuild& file : report.rebuild.files) {
    if (file.column_family != name) continue;
    Group& group = groups[{file.level, file.reason}];
    ++group.files;
    group.bytes += file.bytes;
    group.rows += file.rows;
    group.rate += file.rate * static_cast<double>(file.rows);
    group.rate_after += file.rate_after * static_cast<double>(file.rows);
    group.saved_reads += file.saved_reads;
  }
  if (groups.empty()) return "";
  TablePrinter table({"Level", "reason", "files", "bytes", "FPR % now",
                      "expected", "reads saved per missing row"});
  for (const auto& [key, group] : groups) {
    table.AddRow({absl::StrCat("L", std::get<int>(key)),
                  std::string(ToString(std::get<RebuildReason>(key))),
                  WithThousands(group.files), WithThousands(group.bytes),
                  Percent(group.rate, group.rows),
                  Percent(group.rate_after, group.rows),
                  ThreeDigits(group.saved_reads)});
  }
  return absl::StrCat(table.Text(), "\n");
}

std::string Bullet(const std::string& sentence) {
  return absl::StrCat(WrapText(absl::StrCat("- ", sentence), kTextWidth, 2),
                      "\n");
}

uint64_t CountOutcome(const MigrateReport& report, RebuildOutcome outcome) {
  return static_cast<uint64_t>(std::count_if(
      report.rebuild.files.begin(), report.rebuild.files.end(),
      [outcome](const FileRebuild& file) { return file.outcome == outcome; }));
}

std::string Files(uint64_t count) {
  return absl::StrCat(WithThousands(count), count == 1 ? " file" : " files");
}

std::string WhatWasDone(const FilterMigrateConfig& config,
                        const MigrateReport& report) {
  const RebuildFiltersReport& rebuild = report.rebuild;
  if (rebuild.files.empty()) {
    return absl::StrCat("Nothing to rewrite among ",
                        Files(rebuild.files_examined), ".");
  }
  if (!report.database_was_opened) {
    uint64_t bytes = 0;
    for (const FileRebuild& file : rebuild.files) bytes += file.bytes;
    return absl::StrCat(Files(rebuild.files.size()), " of ",
                        WithThousands(rebuild.files_examined), " to rewrite, ",
                        WithThousands(bytes), " bytes",
                        config.dry_run
                            ? ". This is a dry run: nothing was written."
                            : ". Nothing was written; stderr says why.");
  }
  return absl::StrCat(
      report.interrupted ? "Interrupted: rewrote " : "Rewrote ",
      WithThousands(CountOutcome(report, RebuildOutcome::kRewritten)), " of ",
      Files(rebuild.files.size()), ", ", WithThousands(rebuild.bytes_rewritten),
      " bytes in ", absl::StrFormat("%.1f s.", report.seconds),
      report.interrupted ? " Run it again for the others." : "");
}

// All column families get policies of the same kind.
bool IsWayBack(const MigrateReport& report) {
  return OptionsOfLinebloom(*report.policies.front().policy) == nullptr;
}

std::string WhatComesNext(const FilterMigrateConfig& config,
                          const MigrateReport& report) {
  const bool back = IsWayBack(report);
  if (config.dry_run && !report.rebuild.files.empty()) {
    return Bullet(
        back ? "The reads now are those without linebloom: RocksDB's policies "
               "can't read linebloom's filters, so these files are read "
               "unfiltered. With linebloom's policy their filters work until "
               "they are rewritten."
             : "Once rewritten, these files need linebloom wherever they are "
               "read: RocksDB without it reads their rows, but unfiltered. The "
               "way back is --policy=bloomfilter:10 or ribbonfilter:10 "
               "(docs/production.md).");
  }
  if (report.database_was_opened) {
    return Bullet(
        back ? "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: linebloom's "
               "would go on building linebloom's filters."
             : "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: with another "
               "policy, files are read without a filter.");
  }
  return "";
}

}  // namespace

std::string ReportAsText(const FilterMigrateConfig& config,
                         const MigrateReport& report) {
  std::string text;
  for (size_t i = 0; i < report.rebuild.reads.size(); ++i) {
    const FamilyReads& reads = report.rebuild.reads[i];
    absl::StrAppend(&text, "Column family ", reads.column_family, ": ",
                    PolicyText(*report.policies[i].policy), "\n\n",
                    GroupsTable(report, i),
                    "Reads per missing row: ", ThreeDigits(reads.before),
                    " now, ", ThreeDigits(reads.after), " expected, if ",
                    WhereLookupsFall(reads.lookups), ".\n\n");
  }
  absl::StrAppend(&text, WhatWasDone(config, report), "\n");
  if (report.rebuild.files_no_better > 0) {
    absl::StrAppend(
        &text, Bullet(absl::StrCat(
                   Files(report.rebuild.files_no_better),
                   " left alone: of another kind, version or line, but the "
                   "policy's filter would be no better.")));
  }
  return absl::StrCat(text, WhatComesNext(config, report));
}

}  // namespace linebloom::tools
