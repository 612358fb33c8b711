// The filter works with whatever else is set for tables and for reads.

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memory_allocator.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::BlockBasedTableOptions;

class TableOptionsTest : public PolicyTest {
 protected:
  // Whole files and compacted ones, as written and as read from disk. With
  // partitions too where that can be.
  void ExpectFiltersWork(bool partitions_too = true) {
    for (bool partitioned : {false, true}) {
      if (partitioned) {
        if (!partitions_too) {
          continue;
        }
        table_.partition_filters = true;
        table_.index_type = table_.kTwoLevelIndexSearch;
        table_.metadata_block_size = 512;
      }
      SCOPED_TRACE(partitioned ? "partitioned" : "full");
      DestroyAndReopen();
      WriteFile(kRows);
      WriteFile(kRows);
      ExpectFilterWorks(kRows, 2);
      Reopen();
      ExpectFilterWorks(kRows, 2);
      CompactAll();
      ExpectFilterWorks(kRows);
    }
    table_.partition_filters = false;
    table_.index_type = table_.kBinarySearch;
  }

  static constexpr Rows kRows{0, 2400};
};
INSTANTIATE_POLICY_TEST(TableOptionsTest);

// From 2, the oldest that is written, to the newest this RocksDB knows.
TEST_P(TableOptionsTest, EveryFormatVersion) {
  uint32_t version = 2;
  for (;; ++version) {
    table_.format_version = version;
    Close();
    if (!TryReopen().ok()) {
      break;
    }
    SCOPED_TRACE(version);
    ExpectFiltersWork();
  }
  EXPECT_GT(version, 5);
}

TEST_P(TableOptionsTest, EveryChecksum) {
  for (rocksdb::ChecksumType checksum :
       {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
        rocksdb::kxxHash64, rocksdb::kXXH3}) {
    SCOPED_TRACE(static_cast<int>(checksum));
    table_.checksum = checksum;
    ExpectFiltersWork();
    ASSERT_OK(db_->VerifyChecksum());
  }
}

TEST_P(TableOptionsTest, EveryCompression) {
  for (rocksdb::CompressionType compression :
       rocksdb::GetSupportedCompressions()) {
    SCOPED_TRACE(static_cast<int>(compression));
    options_.compression = compression;
    options_.compression_opts.max_dict_bytes = 4096;
    ExpectFiltersWork(/*partitions_too=*/false);
  }
}

TEST_P(TableOptionsTest, FiltersInTheBlockCache) {
  table_.cache_index_and_filter_blocks = true;
  ExpectFiltersWork();
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  ExpectFiltersWork();
  table_.pin_l0_filter_and_index_blocks_in_cache = false;
  table_.metadata_cache_options.unpartitioned_pinning =
      rocksdb::PinningTier::kAll;
  table_.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kAll;
  ExpectFiltersWork();
}

// The filter is evicted all the time and read again.
TEST_P(TableOptionsTest, FiltersInACacheThatIsTooSmall) {
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(1024, 0);
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, FiltersPutInTheCacheByTheFlush) {
  table_.cache_index_and_filter_blocks = true;
  table_.prepopulate_block_cache =
      BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, OtherCaches) {
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache =
      rocksdb::HyperClockCacheOptions(8 << 20, 4096).MakeSharedCache();
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, NoBlockCache) {
  table_.no_block_cache = true;
  ExpectFiltersWork();
}

// Filter construction is charged to the block cache, where the builder tells.
TEST_P(TableOptionsTest, ConstructionChargedToTheCache) {
  table_.cache_usage_options.options_overrides.insert(
      {rocksdb::CacheEntryRole::kFilterConstruction,
       {/*charged=*/rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, RowCache) {
  options_.row_cache = rocksdb::NewLRUCache(1 << 20);
  Reopen();
  WriteFile(kRows);
  ExpectFilterWorks(kRows);
  // The rows come from the row cache now, missing ones are not in it.
  EXPECT_GE(CountMissing(kRows).no, kRows.missing() * 96 / 100);
}

TEST_P(TableOptionsTest, DirectReads) {
  options_.use_direct_reads = true;
  const rocksdb::Status status = TryReopen();
  if (!status.ok()) {
    GTEST_SKIP() << "no direct reads here: " << status.ToString();
  }
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, MappedReads) {
  options_.allow_mmap_reads = true;
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, OptimizeFiltersForMemory) {
  for (bool optimize : {false, true}) {
    SCOPED_TRACE(optimize);
    table_.optimize_filters_for_memory = optimize;
    ExpectFiltersWork();
  }
}

TEST_P(TableOptionsTest, DetectFilterConstructCorruption) {
  table_.detect_filter_construct_corruption = true;
  ExpectFiltersWork();
}

TEST_P(TableOptionsTest, OtherIndexes) {
  table_.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
  ExpectFiltersWork(/*partitions_too=*/false);
  table_.index_type = BlockBasedTableOptions::kBinarySearch;
  table_.data_block_index_type =
      BlockBasedTableOptions::kDataBlockBinaryAndHash;
  ExpectFiltersWork(/*partitions_too=*/false);
}

TEST_P(TableOptionsTest, FewFilesOpen) {
  options_.max_open_files = 10;  // RocksDB opens and closes them all the time
  Reopen();
  for (uint64_t file = 0; file < 40; ++file) {
    WriteFile({file * 200, (file + 1) * 200});
  }
  Reopen();
  const Rows rows{0, 8000};
  EXPECT_EQ(CountPresent(rows),
            (FilterCounts{0, rows.present(), rows.present()}));
  EXPECT_GE(CountMissing(rows).no, rows.missing() * 95 / 100);
}

// Puts memory where it is asked to: 64-byte lines of memory, or as far off as
// malloc ever is.
class OffsetAllocator : public rocksdb::MemoryAllocator {
 public:
  explicit OffsetAllocator(size_t offset) : offset_(offset) {}
  const char* Name() const override { return "test.Offset"; }
  void* Allocate(size_t size) override {
    const size_t whole_lines = (size + offset_ + 63) / 64 * 64;
    return static_cast<char*>(std::aligned_alloc(64, whole_lines)) + offset_;
  }
  void Deallocate(void* memory) override {
    std::free(static_cast<char*>(memory) - offset_);  // NOLINT
  }

 private:
  const size_t offset_;
};

// The filter answers alike wherever its block lies in memory.
TEST_P(TableOptionsTest, EveryAlignmentOfTheBlock) {
  table_.cache_index_and_filter_blocks = true;
  Reopen();
  WriteFile(kRows);
  const FilterCounts missing = CountMissing(kRows);
  for (size_t offset : {0, 1, 8, 16, 32, 48, 63}) {
    SCOPED_TRACE(offset);
    rocksdb::LRUCacheOptions cache;
    cache.capacity = 8 << 20;
    cache.memory_allocator = std::make_shared<OffsetAllocator>(offset);
    table_.block_cache = rocksdb::NewLRUCache(cache);
    Reopen();
    ExpectFilterWorks(kRows);
    EXPECT_EQ(CountMissing(kRows), missing);
  }
}

}  // namespace
}  // namespace linebloom
