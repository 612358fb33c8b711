#include "filter_policy/rebuild/family.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "filter_policy/levels/file_budget.h"
#include "filter_policy/levels/file_in_tree.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/levels/memory_budget.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/level_allocation.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::Status;

Status Refuse(const std::string& family, const std::string& problem) {
  return Status::InvalidArgument("linebloom: column family '" + family + "'",
                                 problem);
}

// The same sizes that the listener knows.
std::shared_ptr<const TreeSizes> TreeOf(
    const rocksdb::ColumnFamilyMetaData& files) {
  auto tree = std::make_shared<TreeSizes>();
  for (const rocksdb::LevelMetaData& level : files.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      tree->Add(static_cast<double>(file.num_entries), level.level);
    }
  }
  return tree;
}

}  // namespace

Status ReadPolicy(const std::string& family,
                  const rocksdb::ColumnFamilyOptions& options,
                  FilterPolicyOptions* wanted) {
  const auto* table = options.table_factory == nullptr
                          ? nullptr
                          : options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table == nullptr) return Refuse(family, "its tables have no filters");
  if (table->filter_policy == nullptr) {
    return Refuse(
        family, "it has no filter policy; open the database with linebloom's");
  }
  // Checks the name, because the policy may come from another library.
  const auto* policy =
      table->filter_policy->Name() == std::string(kFilterPolicyName)
          ? table->filter_policy->GetOptions<FilterPolicyOptions>(
                kFilterPolicyName)
          : nullptr;
  if (policy == nullptr) {
    return Refuse(family, "its filter policy is " +
                              table->filter_policy->GetId() +
                              "; open the database with linebloom's");
  }
  if (!table->whole_key_filtering && options.prefix_extractor == nullptr) {
    return Refuse(family,
                  "its filters hold nothing: whole_key_filtering is off and "
                  "there is no prefix_extractor");
  }
  if (BuildsNothing(*policy)) {
    return Refuse(family, "its policy builds no filters: bits_per_key=" +
                              BitsPerKeyText(BitsPerKeyOf(*policy)));
  }
  // The options it builds with, valid or not.
  *wanted = NearestValid(*policy);
  return Status::OK();
}

std::vector<Family> ShareBudget(rocksdb::DB* db, std::vector<Family> families) {
  double rows = 0;
  std::optional<uint64_t> budget;
  for (const Family& family : families) {
    if (!family.policy.memory_budget) continue;
    budget =
        std::min(budget.value_or(UINT64_MAX), *family.policy.memory_budget);
    rocksdb::ColumnFamilyMetaData files;
    db->GetColumnFamilyMetaData(family.handle, &files);
    rows += TreeOf(files)->Total();
  }
  for (Family& family : families) {
    if (!family.policy.memory_budget) continue;
    family.memory_budget = budget;
    family.policy.memory_budget.reset();
    family.policy.level_aware = true;
    family.policy.bits_per_key =
        std::clamp(8 * static_cast<double>(*budget) / std::max(rows, 1.0),
                   kMinBitsOfRun, kMaxAverageOfBudget);
  }
  return families;
}

WantedFilter WantedOfFile(const Family& family,
                          const rocksdb::ColumnFamilyMetaData& files, int level,
                          bool nothing_below) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.column_family_name = family.name;
  context.level_at_creation = level;
  context.is_bottommost = nothing_below;
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  std::optional<FileInTree> file;
  if (FindLevelSizeListener(family.options) != nullptr) {
    file.emplace();
    file->column_family = family.name;
    file->tree = TreeOf(files);
    file->reason = context.reason;
  }
  const std::optional<FilterSettings> settings =
      SettingsOfFile(family.policy, context, file);
  WantedFilter wanted;
  wanted.line = LineKindOf(family.policy);
  wanted.worst_rate = family.worst_rate;
  wanted.hash_seed = family.policy.hash_seed;
  wanted.whole_key_filtering =
      family.options.table_factory
          ->GetOptions<rocksdb::BlockBasedTableOptions>()
          ->whole_key_filtering;
  if (family.options.prefix_extractor != nullptr) {
    wanted.prefix_extractor = family.options.prefix_extractor->AsString();
  }
  // Never empty: ReadPolicy() rejects policies that build no filters.
  if (settings.has_value()) {
    wanted.millibits = settings->millibits_per_key;
    if (file.has_value() && family.policy.level_aware) {
      wanted.least_millibits =
          std::min(wanted.millibits, MillibitsOf(BitsPerKeyOf(family.policy)));
    }
    // Where there was no room the policy has built with fewer.
    if (family.memory_budget) wanted.least_millibits = wanted.millibits / 2;
    wanted.asked_rate = settings->asked_rate;
  }
  return wanted;
}

}  // namespace linebloom
