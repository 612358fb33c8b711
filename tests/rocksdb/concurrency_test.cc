// Readers while rows are written, flushed and compacted. Two compactions and a
// flush build filters while readers probe the finished ones.

#include "rocksdb/cache.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/load.h"

namespace linebloom {
namespace {

class ConcurrencyTest : public PolicyTest {
 protected:
  ConcurrencyTest() {
    options_.disable_auto_compactions = false;
    options_.level0_file_num_compaction_trigger = 2;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
    options_.max_background_jobs = 4;
    options_.max_subcompactions = 2;
  }

  void Run() {
    Reopen();
    {
      Load load([this] { return db_.get(); });
      for (int flush = 0; flush < 10; ++flush) {
        load.WhileWriting(kRows / 10, [this] { Flush(); });
      }
    }
    EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
    CompactAll();
    ExpectRows({0, 2 * kRows});
    EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows);
  }
};
INSTANTIATE_POLICY_TEST(ConcurrencyTest);

TEST_P(ConcurrencyTest, FullFilters) { Run(); }

TEST_P(ConcurrencyTest, PartitionedFiltersInASmallCache) {
  table_.partition_filters = true;
  table_.index_type = table_.kTwoLevelIndexSearch;
  table_.metadata_block_size = 512;
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(64 << 10);
  Run();
}

}  // namespace
}  // namespace linebloom
