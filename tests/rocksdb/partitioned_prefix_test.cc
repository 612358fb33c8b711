// Prefixes in filters cut into partitions, whose boundaries fall between rows
// of one prefix.

#include <cstdio>
#include <string>

#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/partitioned_fixture.h"

namespace linebloom {
namespace {

// Prefixes of four digits. Even ones exist and have one to seven rows, which
// have odd numbers.
constexpr uint64_t kPrefixes = 400;

std::string Prefix(uint64_t prefix) {
  char text[24];
  std::snprintf(text, sizeof(text), "%04u", static_cast<unsigned>(prefix));
  return text;
}

uint64_t RowsOf(uint64_t prefix) {
  return prefix % 2 == 0 ? 1 + prefix % 7 : 0;
}

std::string RowOf(uint64_t prefix, uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), ":%02u", static_cast<unsigned>(number));
  return Prefix(prefix) + text;
}

class PartitionedPrefixTest : public PartitionedTest {
 protected:
  PartitionedPrefixTest() {
    options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
    table_.whole_key_filtering = false;
    // A block for each row, and partitions as small as can be.
    table_.block_size = 1;
    table_.metadata_block_size = 1;
  }

  void WritePrefixes() {
    for (uint64_t prefix = 0; prefix < kPrefixes; ++prefix) {
      for (uint64_t row = 0; row < RowsOf(prefix); ++row) {
        ASSERT_OK(db_->Put({}, RowOf(prefix, 2 * row + 1), "there"));
      }
    }
    Flush();
  }

  // How many rows a scan of one prefix sees from there.
  size_t CountScan(const std::string& from) {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->Seek(from);
    return KeysFrom(it.get()).size();
  }

  void ExpectRowsOf(uint64_t prefix) {
    for (uint64_t row = 0; row < RowsOf(prefix); ++row) {
      EXPECT_EQ(GetText(db_.get(), RowOf(prefix, 2 * row + 1)), "there");
      EXPECT_EQ(GetText(db_.get(), RowOf(prefix, 2 * row)), "NotFound: ");
      // From the row itself and from between it and the one before.
      const size_t rows_left = RowsOf(prefix) - row;
      EXPECT_EQ(CountScan(RowOf(prefix, 2 * row + 1)), rows_left);
      EXPECT_EQ(CountScan(RowOf(prefix, 2 * row)), rows_left);
    }
    EXPECT_EQ(CountScan(RowOf(prefix, 98)), 0);
  }

  // They write the keys of an index in different ways.
  static constexpr uint32_t kFormatVersions[] = {2, 3, 4, 5};
};
INSTANTIATE_PARTITIONED_TEST(PartitionedPrefixTest);

// A prefix whose rows lie in several partitions is in each of them.
TEST_P(PartitionedPrefixTest, SamePrefixInTwoPartitions) {
  for (uint32_t format_version : kFormatVersions) {
    for (bool whole_key : {false, true}) {
      SCOPED_TRACE(testing::Message() << format_version << whole_key);
      table_.format_version = format_version;
      table_.whole_key_filtering = whole_key;
      DestroyAndReopen();
      WritePrefixes();
      EXPECT_GE(ReopenAndCountPartitions(), 5);
      for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
        ExpectRowsOf(prefix);
      }
    }
  }
}

// A prefix is looked for in the partition where its rows begin, not in the one
// before, where the index has an entry at or before the bare prefix.
TEST_P(PartitionedPrefixTest, PrefixIsSoughtInTheRightPartition) {
  for (uint32_t format_version : kFormatVersions) {
    SCOPED_TRACE(format_version);
    table_.format_version = format_version;
    DestroyAndReopen();
    WritePrefixes();
    TakeCounts();
    for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
      EXPECT_EQ(CountScan(Prefix(prefix)), RowsOf(prefix));
    }
    EXPECT_EQ(TakeCounts(), (FilterCounts{0, kPrefixes / 2, 0}));
    for (uint64_t prefix = 1; prefix + 1 < kPrefixes; prefix += 2) {
      EXPECT_EQ(CountScan(Prefix(prefix)), 0);
    }
    EXPECT_GE(TakeCounts().no, kPrefixes / 2 * 95 / 100);
  }
}

// Seeking backwards from just behind the last key of a partition: the prefix
// is asked of the partition that follows.
TEST_P(PartitionedPrefixTest, SeekForPrevAcrossPartitions) {
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

}  // namespace
}  // namespace linebloom
