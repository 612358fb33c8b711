#include "linebloom/filter_metrics.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "filter_policy/rocksdb/filter_metric_set.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/printable.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
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
  return policy == nullptr ? std::nullopt : policy->memory_budget;
}

Status AddFamily(const std::string& name, rocksdb::DB* db,
                 ColumnFamilyHandle* family, FilterMetricSet* metrics) {
  std::vector<MeteredFile> files;
  const Status status = ReadFiles(db, family, &files);
  if (!status.ok()) return status;
  for (const MeteredFile& file : files) {
    const rocksdb::TableProperties& of = *file.properties;
    metrics->AddFiles(
        name, family->GetName(), file.level, of.filter_policy_name,
        FilterStats::OfFile(
            of.num_entries - std::min(of.num_entries, of.num_range_deletions),
            of.num_filter_entries, of.filter_size));
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

Metric::Metric(std::string_view name, std::string_view type,
               std::string_view help)
    : name_(name) {
  head_ = "# HELP " + name_ + " ";
  head_.append(help).append("\n# TYPE ").append(name_).append(" ");
  head_.append(type).append("\n");
}

void Metric::Add(const MetricLabels& labels, uint64_t value) {
  Add(labels, std::to_string(value));
}

void Metric::Add(const MetricLabels& labels, std::string_view value) {
  samples_ += name_;
  char before = '{';
  for (const auto& [name, label] : labels) {
    samples_ += before;
    samples_.append(name).append("=\"").append(Escape(label)).append("\"");
    before = ',';
  }
  if (!labels.empty()) samples_ += '}';
  samples_.append(" ").append(value).append("\n");
}

std::string Metric::Text() const {
  return samples_.empty() ? "" : head_ + samples_;
}

// All three only increase. The positives and the false ones among them don't
// have to: they are differences of counters read one after the other
// (observed_rate.cc).
void FilterMetricSet::AddAnswers(const std::string& database,
                                 const FilterAnswers& answers) {
  const MetricLabels labels = {{"database", database}};
  probes_.Add(labels, answers.negatives + answers.positives);
  negatives_.Add(labels, answers.negatives);
  true_positives_.Add(labels, answers.true_positives);
}

void FilterMetricSet::AddFiles(const std::string& database,
                               const std::string& column_family, int level,
                               const std::string& policy,
                               const FilterStats& files) {
  groups_[{database, column_family, level, files.bytes > 0 ? policy : "none"}]
      .Add(files);
}

void FilterMetricSet::AddBudget(const std::string& database,
                                const std::string& column_family,
                                uint64_t budget) {
  budget_.Add({{"database", database}, {"column_family", column_family}},
              budget);
}

std::string FilterMetricSet::Text() const {
  Metric files("linebloom_files", "gauge",
               "Live SSTables, by the policy that built their filters.");
  Metric rows("linebloom_rows", "gauge", "Entries of the live SSTables.");
  Metric keys("linebloom_filter_keys", "gauge",
              "Keys and prefixes in the filters of the live SSTables.");
  Metric bytes("linebloom_filter_bytes", "gauge",
               "Sizes of the filters of the live SSTables.");
  for (const auto& [group, sums] : groups_) {
    const auto& [database, column_family, level, policy] = group;
    const std::string level_text = std::to_string(level);
    const MetricLabels labels = {{"database", database},
                                 {"column_family", column_family},
                                 {"level", level_text},
                                 {"policy", policy}};
    files.Add(labels, sums.files);
    rows.Add(labels, sums.rows);
    keys.Add(labels, sums.keys);
    bytes.Add(labels, sums.bytes);
  }
  return probes_.Text() + negatives_.Text() + true_positives_.Text() +
         files.Text() + rows.Text() + keys.Text() + bytes.Text() +
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
