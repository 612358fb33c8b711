// Filters cut into partitions that are read one by one. One builder makes all
// the partitions of a file, and says itself how many keys fit in one.

#include <array>
#include <string>

#include "tests/rocksdb/partitioned_fixture.h"

namespace linebloom {
namespace {

class PartitionedFilterTest : public PartitionedTest {
 protected:
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
INSTANTIATE_PARTITIONED_TEST(PartitionedFilterTest);

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

  const uint64_t partitions = ReopenAndCountPartitions();
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
