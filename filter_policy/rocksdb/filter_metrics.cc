#include "linebloom/filter_metrics.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "filter_policy/rocksdb/filter_metric_set.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "linebloom/filter_policy.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;

// By the last component of the path.
std::map<std::string, int> LevelsOfFiles(rocksdb::DB* db,
                                         ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  std::map<std::string, int> levels;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      levels[file.relative_filename] = level.level;
    }
  }
  return levels;
}

MeteredFile Metered(int level, const rocksdb::TableProperties& properties) {
  MeteredFile file;
  file.level = level;
  file.rows = properties.num_entries -
              std::min(properties.num_entries, properties.num_range_deletions);
  file.policy = properties.filter_policy_name;
  file.keys = properties.num_filter_entries;
  file.bytes = properties.filter_size;
  return file;
}

// A compaction may end between RocksDB's two answers; then this asks again, a
// few times.
Status ReadFiles(rocksdb::DB* db, ColumnFamilyHandle* family,
                 std::vector<MeteredFile>* files) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    files->clear();
    rocksdb::TablePropertiesCollection properties;
    const Status status = db->GetPropertiesOfAllTables(family, &properties);
    if (!status.ok()) return status;
    const std::map<std::string, int> levels = LevelsOfFiles(db, family);
    for (const auto& [path, of_file] : properties) {
      const auto level = levels.find(path.substr(path.rfind('/') + 1));
      if (level != levels.end()) {
        files->push_back(Metered(level->second, *of_file));
      }
    }
    if (files->size() == properties.size() && files->size() == levels.size()) {
      break;
    }
  }
  return Status::OK();
}

std::optional<uint64_t> BudgetOf(const rocksdb::Options& options) {
  if (options.table_factory == nullptr) return std::nullopt;
  const auto* table =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table == nullptr || table->filter_policy == nullptr ||
      table->filter_policy->Name() != std::string(kFilterPolicyName)) {
    return std::nullopt;
  }
  const auto* policy =
      table->filter_policy->GetOptions<FilterPolicyOptions>(kFilterPolicyName);
  return policy == nullptr ? std::nullopt : policy->memory_budget;
}

Status AddFamily(const std::string& name, rocksdb::DB* db,
                 ColumnFamilyHandle* family, FilterMetricSet* metrics) {
  std::vector<MeteredFile> files;
  const Status status = ReadFiles(db, family, &files);
  if (!status.ok()) return status;
  for (const MeteredFile& file : files) {
    metrics->AddFile(name, family->GetName(), file);
  }
  if (const auto budget = BudgetOf(db->GetOptions(family))) {
    metrics->AddBudget(name, family->GetName(), *budget);
  }
  return Status::OK();
}

Status AddDatabase(const MeteredDatabase& database, FilterMetricSet* metrics) {
  rocksdb::DB* db = database.db;
  const std::string name =
      database.name.empty() ? db->GetName() : database.name;
  if (const auto statistics = db->GetDBOptions().statistics) {
    metrics->AddAnswers(name, ReadFilterAnswers(*statistics));
  }
  if (database.column_families.empty()) {
    return AddFamily(name, db, db->DefaultColumnFamily(), metrics);
  }
  for (ColumnFamilyHandle* family : database.column_families) {
    const Status status = AddFamily(name, db, family, metrics);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

}  // namespace

Status FilterMetrics(const std::vector<MeteredDatabase>& databases,
                     std::string* text) {
  text->clear();
  if (!RocksDbMismatch().empty()) {
    return Status::NotSupported("linebloom", RocksDbMismatch());
  }
  FilterMetricSet metrics;
  for (const MeteredDatabase& database : databases) {
    const Status status = AddDatabase(database, &metrics);
    if (!status.ok()) return status;
  }
  *text = metrics.Text();
  return Status::OK();
}

}  // namespace linebloom
