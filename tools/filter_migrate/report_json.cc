#include "filter_policy/rebuild/judgement.h"
#include "nlohmann/json.hpp"
#include "tools/filter_migrate/policies.h"
#include "tools/filter_migrate/report.h"

namespace linebloom::tools {
namespace {

using nlohmann::ordered_json;

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

ordered_json FileAsJson(const FileRebuild& file) {
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

}  // namespace

ordered_json ReportAsJson(const FilterMigrateConfig& config,
                          const MigrateReport& report) {
  ordered_json json = {{"database", config.db},
                       {"dry_run", config.dry_run},
                       {"interrupted", report.interrupted},
                       {"files_examined", report.rebuild.files_examined},
                       {"files_no_better", report.rebuild.files_no_better},
                       {"bytes_rewritten", report.rebuild.bytes_rewritten},
                       {"seconds", report.seconds},
                       {"column_families", ordered_json::array()},
                       {"files", ordered_json::array()},
                       {"problems", report.problems}};
  for (size_t i = 0; i < report.rebuild.reads.size(); ++i) {
    const FamilyReads& reads = report.rebuild.reads[i];
    json["column_families"].push_back(
        {{"name", reads.column_family},
         {"policy", PolicyText(*report.policies[i].policy)},
         {"reads_per_missing_row_before", reads.before},
         {"reads_per_missing_row_after", reads.after},
         {"lookups_known_from", SourceName(reads.lookups)}});
  }
  for (const FileRebuild& file : report.rebuild.files) {
    json["files"].push_back(FileAsJson(file));
  }
  return json;
}

}  // namespace linebloom::tools
