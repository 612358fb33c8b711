// filter_migrate: gives the files of a database linebloom's filters, or
// RocksDB's again.
#include <algorithm>
#include <map>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/rebuild/judgement.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/filter_migrate/migrate.h"
#include "tools/shared/flags.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

using Config = linebloom::tools::FilterMigrateConfig;

LINEBLOOM_FLAG(Config, db, "the database's folder");
LINEBLOOM_FLAG(Config, column_family, "only this column family; default: all");
LINEBLOOM_FLAG(Config, policy,
               "the policy to build filters with, such as linebloom:10 or "
               "{id=linebloom;bits_per_key=10;line=plain}. With RocksDB's "
               "own, bloomfilter:10 or ribbonfilter:10, files with "
               "linebloom's filters get RocksDB's again. Default: the "
               "linebloom policy in the database's OPTIONS, or linebloom with "
               "the bits per key of the Bloom filter there, or linebloom:10");
LINEBLOOM_FLAG(Config, line, "solved or plain, in place of the policy's line");
LINEBLOOM_NUMBER_FLAG(Config, worst_rate, kShare, 0, 1,
                      "rewrite linebloom's own filters too if their "
                      "false-positive rate is above this and the policy has "
                      "more bits; 0 means 1.2 times the rate of a new "
                      "filter");
LINEBLOOM_NUMBER_FLAG(Config, bytes_per_second, kBytes, 0, 1'000'000'000'000,
                      "how many bytes of files to rewrite each second, on "
                      "average, such as 50MB; 0 for no limit");
LINEBLOOM_FLAG(Config, dry_run,
               "say what would be rewritten and what that saves, and write "
               "nothing; another process may have the database open");

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

const char* OutcomeName(RebuildOutcome outcome) {
  switch (outcome) {
    case RebuildOutcome::kPlanned:
      return "planned";
    case RebuildOutcome::kRewritten:
      return "rewritten";
    case RebuildOutcome::kGone:
      return "gone";
    case RebuildOutcome::kBusy:
      return "busy";
    case RebuildOutcome::kDamaged:
      return "damaged";
    case RebuildOutcome::kNoSpace:
      return "no space";
  }
  return "unknown";
}

const char* SourceName(LookupSource source) {
  switch (source) {
    case LookupSource::kEven:
      return "even";
    case LookupSource::kFilters:
      return "filters";
    case LookupSource::kListener:
      return "listener";
  }
  return "unknown";
}

Json FileAsJson(const FileRebuild& file) {
  return {{"path", file.path},
          {"column_family", file.column_family},
          {"level", file.level},
          {"bytes", file.bytes},
          {"rows", file.rows},
          {"reason", std::string(ToString(file.reason))},
          {"false_positive_rate", file.rate},
          {"expected_false_positive_rate", file.rate_after},
          {"saved_reads_per_missing_row", file.saved_reads},
          {"outcome", OutcomeName(file.outcome)}};
}

// The files of one level that are rewritten for the same reason.
struct Group {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  double rate = 0;        // weighted sum over the rows
  double rate_after = 0;  // weighted sum over the rows
  double saved_reads = 0;
};

// Levels from the top.
Json GroupsAsJson(const MigrateReport& report, const std::string& family) {
  std::map<std::tuple<int, RebuildReason>, Group> groups;
  for (const FileRebuild& file : report.rebuild.files) {
    if (file.column_family != family) continue;
    Group& group = groups[{file.level, file.reason}];
    ++group.files;
    group.bytes += file.bytes;
    group.rows += file.rows;
    group.rate += file.rate * static_cast<double>(file.rows);
    group.rate_after += file.rate_after * static_cast<double>(file.rows);
    group.saved_reads += file.saved_reads;
  }
  Json json = Json::array();
  for (const auto& [key, group] : groups) {
    const auto mean = [rows = group.rows](double sum) {
      return rows == 0 ? Json() : Json(sum / static_cast<double>(rows));
    };
    json.push_back(
        {{"level", std::get<int>(key)},
         {"reason", std::string(ToString(std::get<RebuildReason>(key)))},
         {"files", group.files},
         {"bytes", group.bytes},
         {"false_positive_rate", mean(group.rate)},
         {"expected_false_positive_rate", mean(group.rate_after)},
         {"saved_reads_per_missing_row", group.saved_reads}});
  }
  return json;
}

std::string WhereLookupsFall(const std::string& known_from) {
  if (known_from == "filters") {
    return "lookups fall by the heat that the filters record";
  }
  if (known_from == "listener") {
    return "lookups fall as they have in this process";
  }
  return "lookups fall evenly";
}

std::string FamilyText(const Json& family) {
  const std::string table = TextTable(
      {{"Level", "L{/level}"},
       {"reason", "{/reason}"},
       {"files", "{/files:,}"},
       {"bytes", "{/bytes:,}"},
       {"FPR % now", "{/false_positive_rate:.4%}"},
       {"expected", "{/expected_false_positive_rate:.4%}"},
       {"reads saved per missing row", "{/saved_reads_per_missing_row:3}"}},
      family["groups"]);
  return absl::StrCat(
      Fill("Column family {/name}: {/policy}\n\n", family),
      family["groups"].empty() ? "" : table + "\n",
      Fill("Reads per missing row: {/reads_per_missing_row_before:3} now, "
           "{/reads_per_missing_row_after:3} expected, if ",
           family),
      WhereLookupsFall(family["lookups_known_from"]), ".\n\n");
}

std::string Files(uint64_t count) {
  return absl::StrCat(WithThousands(count), count == 1 ? " file" : " files");
}

std::string WhatWasDone(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) {
    return absl::StrCat("Nothing to rewrite among ",
                        Files(report["files_examined"]), ".");
  }
  if (report["opened_for_writing"] == false) {
    uint64_t bytes = 0;
    for (const Json& file : files) bytes += file["bytes"].get<uint64_t>();
    return absl::StrCat(Files(files.size()),
                        Fill(" of {/files_examined:,} to rewrite, ", report),
                        WithThousands(bytes), " bytes",
                        report["dry_run"] == true
                            ? ". This is a dry run: nothing was written."
                            : ". Nothing was written; stderr says why.");
  }
  const auto rewritten = static_cast<uint64_t>(std::count_if(
      files.begin(), files.end(),
      [](const Json& file) { return file["outcome"] == "rewritten"; }));
  const bool interrupted = report["interrupted"];
  return absl::StrCat(
      interrupted ? "Interrupted: rewrote " : "Rewrote ",
      WithThousands(rewritten), " of ", Files(files.size()),
      Fill(", {/bytes_rewritten:,} bytes in {/seconds:.1f} s.", report),
      interrupted ? " Run it again for the others." : "");
}

std::string WhatComesNext(const Json& report) {
  const bool back = report["is_way_back"];
  if (report["dry_run"] == true && !report["files"].empty()) {
    return BulletText(
        back ? "The reads now are those without linebloom: RocksDB's policies "
               "can't read linebloom's filters, so these files are read "
               "unfiltered. With linebloom's policy their filters work until "
               "they are rewritten."
             : "Once rewritten, these files need linebloom wherever they are "
               "read: RocksDB without it reads their rows, but unfiltered. The "
               "way back is --policy=bloomfilter:10 or ribbonfilter:10 "
               "(docs/production.md).");
  }
  if (report["opened_for_writing"] == true) {
    return BulletText(
        back ? "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: linebloom's "
               "would go on building linebloom's filters."
             : "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: with another "
               "policy, files are read without a filter.");
  }
  return "";
}

// For example "linebloom:10, solved", or "bloomfilter:10:false, RocksDB's own".
std::string PolicyText(const rocksdb::FilterPolicy& policy) {
  const FilterPolicyOptions* own = OptionsOfLinebloom(&policy);
  if (own == nullptr) {
    return absl::StrCat(policy.GetId(), ", RocksDB's own");
  }
  return absl::StrCat(policy.GetId(), ", ",
                      own->line == Line::kPlain ? "plain" : "solved",
                      own->heat_aware    ? ", heat aware"
                      : own->level_aware ? ", level aware"
                                         : "");
}

Json ReportAsJson(const FilterMigrateConfig& config,
                  const MigrateReport& report) {
  // All column families get policies of the same kind.
  const bool is_way_back =
      OptionsOfLinebloom(report.policies.front().policy.get()) == nullptr;
  Json json = {{"database", config.db},
               {"dry_run", config.dry_run},
               {"is_way_back", is_way_back},
               {"opened_for_writing", report.database_was_opened},
               {"interrupted", report.interrupted},
               {"files_examined", report.rebuild.files_examined},
               {"files_no_better", report.rebuild.files_no_better},
               {"bytes_rewritten", report.rebuild.bytes_rewritten},
               {"seconds", report.seconds},
               {"column_families", Json::array()},
               {"files", Json::array()},
               {"problems", report.problems}};
  for (size_t i = 0; i < report.rebuild.reads.size(); ++i) {
    const FamilyReads& reads = report.rebuild.reads[i];
    json["column_families"].push_back(
        {{"name", reads.column_family},
         {"policy", PolicyText(*report.policies[i].policy)},
         {"reads_per_missing_row_before", reads.before},
         {"reads_per_missing_row_after", reads.after},
         {"lookups_known_from", SourceName(reads.lookups)},
         {"groups", GroupsAsJson(report, reads.column_family)}});
  }
  for (const FileRebuild& file : report.rebuild.files) {
    json["files"].push_back(FileAsJson(file));
  }
  return json;
}

std::string ReportAsText(const Json& report) {
  std::string text;
  for (const Json& family : report["column_families"]) {
    absl::StrAppend(&text, FamilyText(family));
  }
  absl::StrAppend(&text, WhatWasDone(report), "\n");
  if (report["files_no_better"] > 0) {
    absl::StrAppend(
        &text,
        BulletText(absl::StrCat(
            Files(report["files_no_better"]),
            " left alone: of another kind, version or line, but the policy's "
            "filter would be no better.")));
  }
  return absl::StrCat(text, WhatComesNext(report));
}

constexpr char kUsage[] =
    "rewrites the files of a RocksDB database whose filter is poor, each with\n"
    "a new one of linebloom's: files without a filter, with RocksDB's own or "
    "a\n"
    "damaged one, or with one of linebloom's from an older version, with "
    "plain\n"
    "lines or fewer bits. Those that save the most reads per byte come first.\n"
    "\n"
    "  filter_migrate --db=/var/lib/my_database --dry_run\n"
    "  filter_migrate --db=/var/lib/my_database --policy=linebloom:10\n"
    "  filter_migrate --db=/var/lib/my_database --policy=bloomfilter:10\n"
    "\n"
    "The last one is the way back: with one of RocksDB's own policies, it\n"
    "rewrites the files that have linebloom's filters, and those without any.\n"
    "\n"
    "The database must not be open elsewhere, except for --dry_run. It is\n"
    "opened with its own OPTIONS; RocksDB's own compactions pause. The files\n"
    "keep their level, their rows and their size. It can be stopped and "
    "killed\n"
    "at any time and run again: files that are done stay as they are.\n"
    "\n"
    "Exits with 0; with 1 if a file is damaged or was left out, and stderr "
    "says\n"
    "why; with 2 for bad usage or a database that is locked, damaged or needs\n"
    "the application's plug-ins. A damaged file stays as it is.";

absl::StatusOr<Outcome> Run(const FilterMigrateConfig& config) {
  ASSIGN_OR_RETURN(const MigrateReport report, Migrate(config));
  const nlohmann::ordered_json json = ReportAsJson(config, report);
  return Outcome{
      ReportAsText(json), json, report.problems,
      report.interrupted ? kExitInterrupted : ExitCodeOf(report.problems)};
}

}  // namespace

}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  ParseFlagsOrExit(argc, argv, kUsage);
  linebloom::RegisterFilterPolicy();  // for policies in the OPTIONS
  return RunTool("filter_migrate",
                 [] { return Run(ConfigFromFlags<FilterMigrateConfig>()); });
}
