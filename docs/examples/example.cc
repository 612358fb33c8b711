#include "example.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace examples {

void Require(bool condition, const std::string& otherwise) {
  if (condition) return;
  std::cerr << otherwise << "\n";
  std::exit(1);
}

void Require(const rocksdb::Status& status, const std::string& doing) {
  Require(status.ok(), doing + ": " + status.ToString());
}

Database::Database(const std::string& filter_policy, uint64_t bytes,
                   const std::function<void(rocksdb::Options*)>& change) {
  path_ = std::filesystem::temp_directory_path() / "linebloom_XXXXXX";
  Require(mkdtemp(path_.data()) != nullptr, "can't create " + path_);
  rocksdb::Options options;
  // An options file has the same, in [TableOptions] and [DBOptions].
  rocksdb::BlockBasedTableOptions table;
  Require(rocksdb::GetBlockBasedTableOptionsFromString(
              {}, {}, "filter_policy=" + filter_policy, &table),
          "reading " + filter_policy);
  // `listeners=linebloom_level_sizes`: knows the sizes of levels and filters.
  options.listeners.push_back(linebloom::NewLevelSizeListener());
  table.no_block_cache = true;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = std::max<uint64_t>(bytes / 50, 64 << 10);
  options.target_file_size_base = options.write_buffer_size;
  options.max_bytes_for_level_base = 4 * options.write_buffer_size;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  change(&options);
  rocksdb::DB* db = nullptr;
  Require(rocksdb::DB::Open(options, path_, &db), "opening " + path_);
  db_.reset(db);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
}

Database::~Database() {
  db_.reset();
  std::filesystem::remove_all(path_);
}

bool Database::Has(const std::string& key, uint64_t* blocks) const {
  const uint64_t& read = rocksdb::get_perf_context()->block_read_count;
  const uint64_t before = read;
  std::string value;
  const rocksdb::Status status = db_->Get({}, key, &value);
  *blocks += read - before;
  if (!status.IsNotFound()) Require(status, "reading " + key);
  return status.ok();
}

void Database::Put(const std::string& key, const std::string& value) const {
  Require(db_->Put({}, key, value), "writing");
}

void Database::Delete(const std::string& key) const {
  Require(db_->Delete({}, key), "deleting");
}

// An automatic compaction could move a file past this one to a lower level, so
// there must be none.
void Database::CompactAll() const {
  Require(db_->Flush({}), "flushing");
  Require(db_->SetOptions({{"disable_auto_compactions", "true"}}), "stopping");
  Require(db_->PauseBackgroundWork(), "waiting for running compactions");
  Require(db_->ContinueBackgroundWork(), "continuing");
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  Require(db_->CompactRange(all, nullptr, nullptr), "compacting");
  Require(db_->SetOptions({{"disable_auto_compactions", "false"}}), "starting");
}

Filters Database::LiveFilters() const {
  rocksdb::TablePropertiesCollection files;
  Require(db_->GetPropertiesOfAllTables(&files), "reading properties");
  Filters filters;
  for (const auto& [path, properties] : files) {
    filters.keys += properties->num_filter_entries;
    filters.bytes += properties->filter_size;
  }
  return filters;
}

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
uint64_t Scatter(uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9;
  i = (i ^ (i >> 27)) * 0x94d049bb133111eb;
  return i ^ (i >> 31);
}

}  // namespace examples
