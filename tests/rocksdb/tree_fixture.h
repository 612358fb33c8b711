// Databases that grow, and what their filters take.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "linebloom/level_size_listener.h"
#include "rocksdb/listener.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {

// The filters of the live files of a column family.
struct LiveFilters {
  double bytes = 0;
  double keys = 0;  // in the files
  size_t files = 0;
  size_t without = 0;  // files that have none

  void Add(const rocksdb::TableProperties& table) {
    bytes += static_cast<double>(table.filter_size);
    keys += static_cast<double>(table.num_entries);
    without += table.filter_size == 0 ? 1 : 0;
    ++files;
  }
  double bits_per_key() const { return 8 * bytes / keys; }
};

// Returns those of the default family unless another is given.
inline LiveFilters FiltersOf(rocksdb::DB* db,
                             rocksdb::ColumnFamilyHandle* family = nullptr) {
  rocksdb::TablePropertiesCollection files;
  EXPECT_OK(db->GetPropertiesOfAllTables(
      family != nullptr ? family : db->DefaultColumnFamily(), &files));
  LiveFilters filters;
  for (const auto& [path, table] : files) filters.Add(*table);
  return filters;
}

// Delays jobs at random, as a busy machine or a slow disk does, so that flushes
// wait, compactions overlap and a closing database finds jobs under way.
// Thread-safe.
class SlowJobs : public rocksdb::EventListener {
 public:
  // A quarter of the events have a delay, of up to `max_delay`.
  explicit SlowJobs(std::chrono::milliseconds max_delay)
      : max_delay_(max_delay) {}

  void OnFlushBegin(rocksdb::DB* /*db*/,
                    const rocksdb::FlushJobInfo& /*job*/) override {
    Delay();
  }
  void OnFlushCompleted(rocksdb::DB* /*db*/,
                        const rocksdb::FlushJobInfo& /*job*/) override {
    Delay();
  }
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    Delay();
  }
  void OnCompactionCompleted(
      rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*job*/) override {
    Delay();
  }
  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& /*info*/) override {
    Delay();
  }
  void OnTableFileCreated(
      const rocksdb::TableFileCreationInfo& /*info*/) override {
    Delay();
  }

 private:
  void Delay() {
    std::chrono::milliseconds delay(0);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (random_() % 4 == 0) {
        delay = std::chrono::milliseconds(random_() % (max_delay_.count() + 1));
      }
    }
    std::this_thread::sleep_for(delay);
  }

  const std::chrono::milliseconds max_delay_;
  std::mutex mutex_;
  std::mt19937_64 random_{1};
};

// Looks at the default column family after each flush and compaction.
// Thread-safe.
class FilterWatch : public rocksdb::EventListener {
 public:
  struct Seen {
    double max_bits_per_key = 0;
    size_t trees = 0;  // that had filters
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
    const LiveFilters filters = FiltersOf(db);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (filters.bytes == 0) return;
    seen_.max_bits_per_key =
        std::max(seen_.max_bits_per_key, filters.bits_per_key());
    ++seen_.trees;
  }

  std::mutex mutex_;
  Seen seen_;
};

class TreeTest : public DbTest {
 protected:
  void UseListener() { options_.listeners = {NewLevelSizeListener()}; }

  // Memtables and files of so many bytes, each level four times as large as the
  // one above.
  void UseSmallLevels(uint64_t file, uint64_t first_level) {
    options_.disable_auto_compactions = false;
    options_.write_buffer_size = file;
    options_.target_file_size_base = file;
    options_.max_bytes_for_level_base = first_level;
    options_.max_bytes_for_level_multiplier = 4;
  }

  static std::vector<uint64_t> Numbers(uint64_t count, bool in_order) {
    std::vector<uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (!in_order) {
      std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(1));
    }
    return numbers;
  }

  void Put(const std::vector<uint64_t>& numbers) {
    for (const uint64_t number : numbers) {
      ASSERT_OK(db_->Put({}, RowKey(2 * number), RowValue(2 * number)));
    }
  }

  // Waits until nothing has run for a while. RocksDB's own compaction-pending
  // stays set in universal compaction even if there is nothing to pick.
  void WaitForCompactions() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      for (const char* what :
           {"rocksdb.num-running-compactions", "rocksdb.num-running-flushes",
            "rocksdb.mem-table-flush-pending"}) {
        uint64_t count = 0;
        EXPECT_TRUE(db_->GetIntProperty(what, &count)) << what;
        if (count > 0) quiet = 0;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  // A database that begins empty, is reopened halfway, and grows as fast as it
  // can, with delays of its jobs of up to so many milliseconds.
  FilterWatch::Seen Grow(uint64_t rows, bool in_order,
                         rocksdb::CompactionStyle style, int delay) {
    UseSmallLevels(256 << 10, 512 << 10);
    options_.compaction_style = style;
    options_.max_background_jobs = 4;
    const auto watch = std::make_shared<FilterWatch>();
    options_.listeners = {
        NewLevelSizeListener(),
        std::make_shared<SlowJobs>(std::chrono::milliseconds(delay)), watch};
    DestroyAndReopen();
    const std::vector<uint64_t> numbers = Numbers(rows, in_order);
    const auto half = numbers.begin() + static_cast<ptrdiff_t>(rows / 2);
    Put({numbers.begin(), half});
    Reopen();
    Put({half, numbers.end()});
    Flush();
    WaitForCompactions();
    return watch->Take();
  }

  LiveFilters Now() { return FiltersOf(db_.get()); }
};

// Each combination of loads in and out of order and of styles of compaction.
template <typename Check>
void ForEachLoad(const Check& check) {
  for (const bool in_order : {false, true}) {
    for (const auto style :
         {rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleUniversal}) {
      SCOPED_TRACE(in_order);
      SCOPED_TRACE(int{style});
      check(in_order, style);
    }
  }
}

}  // namespace linebloom
