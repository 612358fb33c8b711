// Ten databases that share a block cache, each with a listener and a policy of
// its own or all with one, while threads open, write, flush, compact, read and
// close them. ThreadSanitizer runs this. RocksDB is built without it: only the
// locks that it takes are seen, not atomics, so no threads share a database.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "filter_policy/tree/new_file.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"
#include "tests/temporary_folder.h"
#include "tools/database/out_ptr.h"

namespace linebloom {
namespace {

constexpr int kDatabases = 10;
constexpr int kSessions = 2;
constexpr int kFlushes = 8;
constexpr int kRows = 400;  // of a flush

// Called after linebloom's. The filters that a job reads are not for lookups.
struct JobListener final : rocksdb::EventListener {
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    EXPECT_TRUE(is_in_job);
  }
};

rocksdb::Options OptionsWith(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.level0_file_num_compaction_trigger = 2;
  options.target_file_size_base = 16 << 10;
  options.max_background_jobs = 4;
  options.max_subcompactions = 2;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  EXPECT_TRUE(Use(&options).ok());
  options.listeners.push_back(std::make_shared<JobListener>());
  return options;
}

// Returns how many rows were not found.
int LiveThrough(const rocksdb::Options& options, const std::string& path) {
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(rocksdb::DB::Open(options, path, OutPtr(&db)).ok());
  int lost = 0;
  std::string value;
  for (int flush = 0; flush < kFlushes; ++flush) {
    for (int i = 0; i < kRows; ++i) {
      const std::string key = std::to_string(1000 * i + flush);
      EXPECT_TRUE(db->Put({}, key, "value").ok());
    }
    EXPECT_TRUE(db->Flush({}).ok());
    for (int i = 0; i < kRows; i += 10) {
      lost += !db->Get({}, std::to_string(1000 * i + flush), &value).ok();
    }
  }
  EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  return lost;
}

TEST(ListenerThreadsTest, DatabasesShareACache) {
  const TemporaryFolder folder;
  const auto cache = rocksdb::NewLRUCache(64 << 10);
  const rocksdb::Options shared = OptionsWith(cache);
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kDatabases; ++i) {
    threads.emplace_back([&, i] {
      for (int session = 0; session < kSessions; ++session) {
        lost += LiveThrough(i % 2 == 0 ? shared : OptionsWith(cache),
                            folder.File(std::to_string(i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, lost);
}

}  // namespace
}  // namespace linebloom
