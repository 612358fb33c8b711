// Readers while rows are written, flushed and compacted. Two compactions and a
// flush build filters while readers probe the finished ones.

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/cache.h"
#include "tests/rocksdb/db_fixture.h"

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

  // Writes the rows in an order that spreads every file over the whole range.
  void Write() {
    for (uint64_t i = 0; i < kRows; ++i) {
      ASSERT_OK(db_->Put({}, RowKey(Number(i)), RowValue(Number(i))));
      written_.store(i + 1, std::memory_order_release);
      if (i % 3000 == 2999) {
        Flush();
      }
    }
  }

  void ReadWhileWriting(unsigned seed) {
    std::mt19937_64 random(seed);
    while (!done_.load(std::memory_order_acquire)) {
      const uint64_t written = written_.load(std::memory_order_acquire);
      if (written > 0) {
        ReadSome(&random, written);
      }
    }
  }

  // One Get and one MultiGet, of rows that exist and of rows that never do.
  void ReadSome(std::mt19937_64* random, uint64_t written) {
    const uint64_t there = Number((*random)() % written);
    ASSERT_EQ(GetText(db_.get(), RowKey(there)), RowValue(there));
    ASSERT_EQ(GetText(db_.get(), RowKey(there + 1)), "NotFound: ");

    constexpr size_t kBatch = 40;
    std::vector<std::string> keys;
    for (size_t i = 0; i < kBatch; ++i) {
      keys.push_back(RowKey(Number((*random)() % written) + i % 2));
    }
    const std::vector<std::string> found = MultiGetTexts(db_.get(), keys);
    for (size_t i = 0; i < kBatch; ++i) {
      ASSERT_EQ(found[i] == "NotFound: ", i % 2 != 0) << found[i];
    }
  }

  void Run() {
    Reopen();
    std::vector<std::thread> readers;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      readers.emplace_back([this, seed] { ReadWhileWriting(seed); });
    }
    Write();
    done_.store(true, std::memory_order_release);
    for (std::thread& reader : readers) {
      reader.join();
    }
    EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
    CompactAll();
    ExpectRows({0, 2 * kRows});
    EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows);
  }

  // The even numbers below 2 * kRows, each once: the step and the number of
  // rows have no common factor.
  static uint64_t Number(uint64_t i) { return i * 7919 % kRows * 2; }

  static constexpr uint64_t kRows = 30000;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<bool> done_ = false;
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
