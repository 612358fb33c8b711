#include "linebloom/filter_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "filter_policy/policy/filter_metric_set.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;

// The format wants UTF-8 and escapes these three.
std::string Escape(std::string_view value) {
  std::string escaped;
  for (const char c : Printable(value, "\n")) {
    if (c == '\n') {
      escaped += "\\n";
    } else {
      if (c == '\\' || c == '"') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

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

struct MeteredFile {
  int level;
  std::shared_ptr<const rocksdb::TableProperties> properties;
};

// A compaction may end between the two calls; then this tries again, twice.
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
        files->push_back({level->second, of_file});
      }
    }
    if (files->size() == properties.size() && files->size() == levels.size()) {
      break;
    }
  }
  return Status::OK();
}

std::optional<uint64_t> BudgetOf(const rocksdb::Options& options) {
  const auto* table = TableOptionsOf(options);
  if (table == nullptr) return std::nullopt;
  const auto* policy = OptionsOfLinebloom(table->filter_policy.get());
  if (policy == nullptr || !policy->memory_budget) return std::nullopt;
  return BytesOf(*policy->memory_budget, *table);
}

Status AddFamily(const std::string& name, rocksdb::DB* db,
                 ColumnFamilyHandle* family, FilterMetricSet* metrics) {
  std::vector<MeteredFile> files;
  const Status status = ReadFiles(db, family, &files);
  if (!status.ok()) return status;
  for (const MeteredFile& file : files) {
    const rocksdb::TableProperties& of = *file.properties;
    metrics->AddFile(
        name, family->GetName(), file.level, of.filter_policy_name,
        of.num_entries - std::min(of.num_entries, of.num_range_deletions),
        of.num_filter_entries, of.filter_size);
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
    metrics->AddStats(name, GetFilterStats(*statistics));
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

void Metric::Add(const MetricLabels& labels, double value) {
  std::string text;
  for (const auto& [name, label] : labels) {
    text += text.empty() ? '{' : ',';
    text.append(name).append("=\"").append(Escape(label)).append("\"");
  }
  if (!text.empty()) text += '}';
  samples_[text] += value;
}

std::string Metric::Text() const {
  if (samples_.empty()) return "";
  const std::string name(name_);
  std::string text = "# HELP " + name + " ";
  text.append(help_).append("\n# TYPE " + name);
  text.append(name.ends_with("_total") ? " counter\n" : " gauge\n");
  for (const auto& [labels, value] : samples_) {
    std::array<char, 32> number;
    const auto result = std::to_chars(number.begin(), number.end(), value,
                                      std::chars_format::general,
                                      value == std::floor(value) ? 17 : 6);
    text.append(name).append(labels).append(" ");
    text.append(number.begin(), result.ptr).append("\n");
  }
  return text;
}

// All three only increase. The positives and the false ones among them don't
// have to: they are differences of counters read one after the other
// (observed_rate.cc).
void FilterMetricSet::AddStats(const std::string& database,
                               const FilterStats& stats) {
  const MetricLabels labels = {{"database", database}};
  probes_.Add(labels, stats.negatives + stats.positives);
  negatives_.Add(labels, stats.negatives);
  true_positives_.Add(labels, stats.true_positives);
}

void FilterMetricSet::AddFile(const std::string& database,
                              const std::string& column_family, int level,
                              const std::string& policy, uint64_t rows,
                              uint64_t keys, uint64_t bytes) {
  const std::string level_text = std::to_string(level);
  const MetricLabels labels = {
      {"database", database},
      {"column_family", column_family},
      {"level", level_text},
      {"policy", bytes > 0 ? std::string_view(policy) : "none"}};
  files_.Add(labels, 1);
  rows_.Add(labels, rows);
  keys_.Add(labels, bytes == 0 ? 0 : keys > 0 ? keys : rows);
  bytes_.Add(labels, bytes);
}

void FilterMetricSet::AddBudget(const std::string& database,
                                const std::string& column_family,
                                uint64_t budget) {
  budget_.Add({{"database", database}, {"column_family", column_family}},
              budget);
}

std::string FilterMetricSet::Text() const {
  return probes_.Text() + negatives_.Text() + true_positives_.Text() +
         files_.Text() + rows_.Text() + keys_.Text() + bytes_.Text() +
         budget_.Text();
}

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
