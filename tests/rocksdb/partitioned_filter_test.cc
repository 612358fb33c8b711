// Filters cut into partitions that are read one by one. One builder makes all
// the partitions of a file, and says itself how many keys fit in one.

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using Param = std::tuple<PolicyKind, /*decoupled=*/bool>;

class PartitionedFilterTest : public DbTest,
                              public testing::WithParamInterface<Param> {
 protected:
  PartitionedFilterTest() {
    UsePolicy(std::get<0>(GetParam()));
    table_.partition_filters = true;
    table_.index_type =
        rocksdb::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch;
    table_.metadata_block_size = 290;  // four lines of 64 bytes and metadata
#if ROCKSDB_IS_AT_LEAST(9, 6)
    table_.decouple_partitioned_filters = std::get<1>(GetParam());
#endif
  }

  // How often a filter partition was asked for since this was last taken; the
  // index over the partitions is held by the table and not counted.
  uint64_t TakePartitionReads() {
    return options_.statistics->getAndResetTickerCount(
               rocksdb::BLOCK_CACHE_FILTER_HIT) +
           options_.statistics->getAndResetTickerCount(
               rocksdb::BLOCK_CACHE_FILTER_MISS);
  }

  // The rows `first`, `first + stride` ... in one MultiGet.
  void ExpectBatch(uint64_t first, uint64_t stride) {
    std::array<std::string, kBatch> keys;
    std::array<rocksdb::Slice, kBatch> slices;
    std::array<rocksdb::PinnableSlice, kBatch> values;
    std::array<rocksdb::Status, kBatch> statuses;
    for (size_t i = 0; i < kBatch; ++i) {
      keys[i] = RowKey(first + i * stride);
      slices[i] = keys[i];
    }
    db_->MultiGet({}, db_->DefaultColumnFamily(), kBatch, slices.data(),
                  values.data(), statuses.data());
    for (size_t i = 0; i < kBatch; ++i) {
      const uint64_t row = first + i * stride;
      if (row % 2 == 0) {
        EXPECT_OK(statuses[i]);
        EXPECT_EQ(values[i].ToString(), RowValue(row));
      } else {
        EXPECT_TRUE(statuses[i].IsNotFound());
      }
    }
  }

  static constexpr size_t kBatch = 30;
};

#if ROCKSDB_IS_AT_LEAST(9, 6)
const auto kDecoupled = testing::Bool();
#else
const auto kDecoupled = testing::Values(false);
#endif

INSTANTIATE_TEST_SUITE_P(
    With, PartitionedFilterTest,
    testing::Combine(testing::Values(PolicyKind::kBuiltinBloom,
                                     PolicyKind::kLinebloom),
                     kDecoupled),
    [](const testing::TestParamInfo<Param>& param) {
      return PolicyName(std::get<0>(param.param)) +
             (std::get<1>(param.param) ? "_decoupled" : "");
    });

TEST_P(PartitionedFilterTest, MissingRowsAreAnsweredByTheirPartition) {
  const Rows rows{0, 20000};
  for (uint64_t target : {1, 63, 290, 4096, 1 << 20}) {
    SCOPED_TRACE(target);
    table_.metadata_block_size = target;
    DestroyAndReopen();
    WriteFile(rows);
    ExpectFilterWorks(rows);
    Reopen();
    ExpectFilterWorks(rows);
    EXPECT_EQ(SumOfFilterEntries(db_.get()), rows.present());
  }
}

// Each partition holds as many keys as fit in the size asked for.
TEST_P(PartitionedFilterTest, PartitionsHaveTheSizeAskedFor) {
  const Rows rows{0, 80000};
  table_.metadata_block_size = 1024;
  Reopen();
  WriteFile(rows);
  const auto properties = AllProperties(db_.get());
  ASSERT_EQ(properties.size(), 1);
  // 10 bits per key and at most a fifth of it for lines that are not full, the
  // metadata of each partition and the index over them.
  EXPECT_GE(properties[0]->filter_size, rows.present() * 10 / 8);
  EXPECT_LE(properties[0]->filter_size, rows.present() * 12 / 8);

  // Opening a file loads its partitions into the block cache.
  options_.statistics->getAndResetTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD);
  Reopen();
  const uint64_t partitions =
      options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD);
  EXPECT_GE(partitions, rows.present() * 10 / 8 / 1024);
  EXPECT_LE(partitions, 3 * rows.present() * 10 / 8 / 1024);
}

TEST_P(PartitionedFilterTest, MultiGetReadsEachPartitionOnce) {
  Reopen();
  const Rows rows{0, 12000};
  WriteFile(rows);
  Reopen();

  ExpectBatch(0, 1);  // warm up: what opening leaves to the first read
  TakeCounts();
  TakePartitionReads();
  ExpectBatch(0, 1);
  EXPECT_EQ(TakePartitionReads(), 1);
  FilterCounts counts = TakeCounts();
  EXPECT_EQ(counts.true_positive, kBatch / 2);
  EXPECT_EQ(counts.no + counts.maybe, kBatch);
  EXPECT_GE(counts.no, kBatch / 2 - 2);

  ExpectBatch(0, (rows.end / kBatch) | 1);
  EXPECT_GE(TakePartitionReads(), kBatch / 2 + 1);
  counts = TakeCounts();
  EXPECT_EQ(counts.true_positive, kBatch / 2);
  EXPECT_EQ(counts.no + counts.maybe, kBatch);
  EXPECT_GE(counts.no, kBatch / 2 - 2);

  // Batches that begin in one partition and end in the next.
  int spanning = 0;
  for (uint64_t first = 0; first + kBatch < rows.end && spanning < 3;
       first += kBatch / 2) {
    ExpectBatch(first, 1);
    const uint64_t reads = TakePartitionReads();
    EXPECT_LE(reads, 2);
    spanning += reads == 2 ? 1 : 0;
    EXPECT_EQ(TakeCounts().true_positive, kBatch / 2);
  }
  EXPECT_EQ(spanning, 3);
}

// A prefix whose keys lie in several partitions is in each of them.
TEST_P(PartitionedFilterTest, SamePrefixInMultiplePartitions) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
  table_.whole_key_filtering = false;
  table_.block_size = 1;
  table_.metadata_block_size = 1;
  for (uint32_t format_version : {2, 3, 4, 5}) {
    SCOPED_TRACE(format_version);
    table_.format_version = format_version;
    DestroyAndReopen();
    for (const char* key : {"p-key10", "p-key20", "p-key30"}) {
      ASSERT_OK(db_->Put({}, key, key));
    }
    Flush();
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    for (const auto& [seek, keys_left] :
         std::vector<std::pair<std::string, size_t>>{{"p-key0", 3},
                                                     {"p-key10", 3},
                                                     {"p-key11", 2},
                                                     {"p-key20", 2},
                                                     {"p-key21", 1},
                                                     {"p-key30", 1},
                                                     {"p-key31", 0}}) {
      SCOPED_TRACE(seek);
      std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
      it->Seek(seek);
      EXPECT_EQ(KeysFrom(it.get()).size(), keys_left);
    }
  }
}

// A prefix is looked for in the partition where its keys begin, not in the one
// before, where the index has an entry at or before the bare prefix.
TEST_P(PartitionedFilterTest, PrefixIsSoughtInTheRightPartition) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(2));
  table_.whole_key_filtering = false;
  table_.block_size = 1;
  table_.metadata_block_size = 1;
  const std::vector<std::string> keys = {"p1-key1", "p2-key2", "p3-key3",
                                         "p4-key4", "p5-key5"};
  for (uint32_t format_version : {2, 3, 4, 5}) {
    SCOPED_TRACE(format_version);
    table_.format_version = format_version;
    DestroyAndReopen();
    for (const std::string& key : keys) {
      ASSERT_OK(db_->Put({}, key, key));
    }
    Flush();
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    for (const std::string& key : keys) {
      SCOPED_TRACE(key);
      EXPECT_EQ(GetText(db_.get(), key), key);
      std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
      it->Seek(key.substr(0, 2));
      EXPECT_EQ(KeysFrom(it.get()), std::vector<std::string>{key});
    }
  }
}

// Seeking backwards from just behind the last key of a partition: the prefix
// is asked of the partition that follows.
TEST_P(PartitionedFilterTest, SeekForPrevAcrossPartitions) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(
      RowKey(0).size()));  // every row has its own prefix
  table_.index_shortening =
      rocksdb::BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
  table_.block_size = 128;
  table_.metadata_block_size = 128;
  UsePolicy(std::get<0>(GetParam()), 30);
  for (bool whole_key : {true, false}) {
#if !ROCKSDB_IS_AT_LEAST(9, 5)
    if (!whole_key) {
      continue;  // RocksDB before 9.5 misses rows here, whatever the policy
    }
#endif
    SCOPED_TRACE(whole_key);
    table_.whole_key_filtering = whole_key;
    DestroyAndReopen();
    const Rows rows{0, 4000};
    WriteFile(rows);
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator({}));
    for (uint64_t i = rows.begin; i < rows.end; i += 2) {
      it->SeekForPrev(RowKey(i) + "a");
      ASSERT_OK(it->status());
      ASSERT_TRUE(it->Valid()) << i;
      ASSERT_EQ(it->key().ToString(), RowKey(i));
    }
  }
}

TEST_P(PartitionedFilterTest, CachedAndPinned) {
  const Rows rows{0, 4000};
  for (bool in_cache : {false, true}) {
    for (bool pin_top : {false, true}) {
      for (bool pin_level_0 : {false, true}) {
        SCOPED_TRACE(testing::Message() << in_cache << pin_top << pin_level_0);
        table_.cache_index_and_filter_blocks = in_cache;
        table_.pin_top_level_index_and_filter = pin_top;
        table_.pin_l0_filter_and_index_blocks_in_cache = pin_level_0;
        DestroyAndReopen();
        WriteFile(rows);
        ExpectFilterWorks(rows);
        Reopen();
        ExpectFilterWorks(rows);
      }
    }
  }
}

// Compaction writes several files with one builder each, and every file has
// its partitions.
TEST_P(PartitionedFilterTest, FilesOfACompaction) {
  options_.target_file_size_base = 64 << 10;
  Reopen();
  const Rows rows{0, 16000};
  WriteFile({0, 8000});
  WriteFile({4000, 12000});
  WriteFile({8000, 16000});
  CompactAll();
  EXPECT_GE(AllProperties(db_.get()).size(), 3);
  EXPECT_EQ(SumOfFilterEntries(db_.get()), rows.present());
  // Some missing rows lie between two files and ask no filter.
  EXPECT_EQ(CountPresent(rows),
            (FilterCounts{0, rows.present(), rows.present()}));
  const FilterCounts missing = CountMissing(rows);
  EXPECT_GE(missing.no, rows.missing() * 95 / 100);
}

}  // namespace
}  // namespace linebloom
