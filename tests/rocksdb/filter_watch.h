// Observes how much a growing database's filters take, for tests and
// benchmarks. RocksDB's own table properties are the source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"

namespace linebloom {

// The filters of the live files of a column family.
struct LiveFilters {
  double bytes = 0;
  double rows = 0;     // in the files
  double entries = 0;  // keys and prefixes in the filters
  size_t files = 0;
  size_t without = 0;  // files that have none

  double bits_per_row() const { return 8 * bytes / rows; }
  double bits_per_entry() const { return 8 * bytes / entries; }
};

inline rocksdb::Status ReadLiveFilters(rocksdb::DB* db,
                                       rocksdb::ColumnFamilyHandle* family,
                                       LiveFilters* filters) {
  rocksdb::TablePropertiesCollection files;
  const rocksdb::Status status = db->GetPropertiesOfAllTables(family, &files);
  *filters = LiveFilters();
  for (const auto& [path, table] : files) {
    filters->bytes += static_cast<double>(table->filter_size);
    filters->rows += static_cast<double>(table->num_entries);
    filters->entries += static_cast<double>(table->num_filter_entries);
    filters->without += table->filter_size == 0 ? 1 : 0;
  }
  filters->files = files.size();
  return status;
}

// Looks at the default column family after each flush and compaction.
// Thread-safe.
class FilterWatch : public rocksdb::EventListener {
 public:
  struct Seen {
    double most_bytes = 0;
    double most_bits_per_entry = 0;
    size_t trees = 0;        // that had filters
    rocksdb::Status status;  // the first error
  };

  // Returns what was seen since the last call.
  Seen Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, {});
  }

  void OnFlushCompleted(rocksdb::DB* db,
                        const rocksdb::FlushJobInfo& /*job*/) override {
    Look(db);
  }
  void OnCompactionCompleted(
      rocksdb::DB* db, const rocksdb::CompactionJobInfo& /*job*/) override {
    Look(db);
  }

 private:
  void Look(rocksdb::DB* db) {
    LiveFilters filters;
    const rocksdb::Status status =
        ReadLiveFilters(db, db->DefaultColumnFamily(), &filters);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (seen_.status.ok()) seen_.status = status;
    if (filters.entries == 0) return;
    seen_.most_bytes = std::max(seen_.most_bytes, filters.bytes);
    seen_.most_bits_per_entry =
        std::max(seen_.most_bits_per_entry, filters.bits_per_entry());
    ++seen_.trees;
  }

  std::mutex mutex_;
  Seen seen_;
};

}  // namespace linebloom
