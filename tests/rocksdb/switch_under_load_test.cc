// A database that is switched to linebloom by SetOptions(), and one that
// threads use while it flushes and compacts.
//
// ThreadSanitizer doesn't run this: in the distribution's RocksDB, which is
// built without it, it reports memtables and log files that threads share by
// atomics.

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "rocksdb/cache.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/load.h"

namespace linebloom {
namespace {

// Before 9.8 RocksDB refuses to change a filter policy.
TEST_F(DbTest, SwitchedBySetOptions) {
  const Rows rows{0, 4000};
  const auto set = [this](const std::string& policy) {
    return db_->SetOptions(
        {{"block_based_table_factory", "{filter_policy=" + policy + ";}"}});
  };
  const auto policies = [this] {
    std::set<std::string> names;
    for (const auto& file : AllProperties(db_.get())) {
      names.insert(file->filter_policy_name);
    }
    return names;
  };
  UsePolicy(kBloom);
  Reopen();
  WriteFile(rows);
#if ROCKSDB_IS_AT_LEAST(9, 8)
  // An open file keeps the policy with which it was opened, so even linebloom's
  // filters work until the database is reopened.
  ASSERT_OK(set("linebloom:10"));
  ExpectFilterWorks(rows);
  WriteFile(rows);
  ASSERT_OK(set("bloomfilter:10"));
  ExpectFilterWorks(rows, /*files=*/2);
  EXPECT_EQ(policies(), (std::set<std::string>{"bloomfilter", "linebloom"}));
  CompactAll();
#else
  const rocksdb::Status status = set("linebloom:10");
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_THAT(status.ToString(),
              testing::HasSubstr("Option not changeable: filter_policy"));
  WriteFile(rows);
#endif
  EXPECT_EQ(policies(), std::set<std::string>{"bloomfilter"});
}

// Two compactions and a flush build filters while readers probe the finished
// ones, in partitions that don't stay in the cache.
class ConcurrencyTest : public PolicyTest {};
INSTANTIATE_POLICY_TEST(ConcurrencyTest);

TEST_P(ConcurrencyTest, PartitionedFiltersInASmallCache) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.target_file_size_base = 64 << 10;
  options_.max_bytes_for_level_base = 256 << 10;
  options_.max_background_jobs = 4;
  options_.max_subcompactions = 2;
  UsePartitions(512);
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(64 << 10);
  Reopen();
  {
    Load load(db_.get());
    for (int flush = 0; flush < 10; ++flush) {
      load.WhileWriting(kLoadRows / 10, [this] { Flush(); });
    }
  }
  EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
  CompactAll();
  ExpectRows({0, 2 * kLoadRows});
  uint64_t keys = 0;
  for (const auto& properties : AllProperties(db_.get())) {
    keys += properties->num_filter_entries;
  }
  EXPECT_EQ(keys, kLoadRows);
}

}  // namespace
}  // namespace linebloom
