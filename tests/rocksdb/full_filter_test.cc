// One filter for a whole file: the usual kind.

#include <set>
#include <string>

#include "rocksdb/perf_context.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class FullFilterTest : public PolicyTest {};
INSTANTIATE_POLICY_TEST(FullFilterTest);

TEST_P(FullFilterTest, MissingRowsAreAnsweredByTheFilter) {
  Reopen();
  const Rows rows{0, 10000};
  WriteFile(rows);
  ExpectFilterWorks(rows);
  Reopen();  // the filter is read from the file now
  ExpectFilterWorks(rows);
}

// A missing row costs a data block read when the filter let it through, and
// none otherwise.
TEST_P(FullFilterTest, OnlyFalsePositivesReadDataBlocks) {
  table_.no_block_cache = true;
  // A shortened separator in the index may send a Get to two blocks.
  table_.index_shortening =
      rocksdb::BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
  UsePolicy(GetParam(), 3);  // few bits, so that there are false positives
  Reopen();
  const Rows rows{0, 10000};
  WriteFile(rows);

  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext* perf = rocksdb::get_perf_context();
  perf->Reset();
  const FilterCounts missing = CountMissing(rows);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);

  EXPECT_GT(missing.maybe, 0);
  EXPECT_GT(missing.no, rows.missing() / 2);
  EXPECT_EQ(perf->block_read_count - perf->index_block_read_count -
                perf->filter_block_read_count,
            missing.maybe);
  EXPECT_EQ(perf->bloom_sst_miss_count, missing.no);
  EXPECT_EQ(perf->bloom_sst_hit_count, missing.maybe);
}

TEST_P(FullFilterTest, KeysOfEveryLength) {
  Reopen();
  std::set<std::string> keys;
  for (size_t length = 0; length <= 1000; ++length) {
    for (char first : {'\0', 'm', '\xff'}) {
      std::string key(length, '\0');
      for (size_t i = 0; i < length; ++i) {
        key[i] = static_cast<char>(first + i * length);
      }
      keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    ASSERT_OK(db_->Put({}, key, "of " + key));
  }
  Flush();
  TakeCounts();
  for (const std::string& key : keys) {
    EXPECT_EQ(GetText(db_.get(), key), "of " + key);
  }
  EXPECT_EQ(TakeCounts(), (FilterCounts{0, keys.size(), keys.size()}));
}

TEST_P(FullFilterTest, FilesOfFewRows) {
  Reopen();
  // The files don't overlap, so a Get asks one filter. One line of 64 bytes
  // holds about 51 keys.
  uint64_t begin = 0;
  for (uint64_t rows : {1, 2, 3, 7, 8, 9, 50, 51, 52, 53, 102, 103, 500}) {
    WriteFile({begin, begin + 2 * rows});
    begin += 1000;
  }
  begin = 0;
  for (uint64_t rows : {1, 2, 3, 7, 8, 9, 50, 51, 52, 53, 102, 103, 500}) {
    SCOPED_TRACE(rows);
    const Rows range{begin, begin + 2 * rows};
    EXPECT_EQ(CountPresent(range), (FilterCounts{0, rows, rows}));
    const FilterCounts missing = CountMissing(range);
    EXPECT_EQ(missing.no + missing.maybe, range.missing());
    EXPECT_LE(missing.maybe, 2 + range.missing() / 10);
    begin += 1000;
  }
}

// A range tombstone alone makes a file of no keys and so an empty filter. It
// hides rows of other files all the same.
TEST_P(FullFilterTest, FileOfNoRows) {
  Reopen();
  const Rows rows{0, 200};
  WriteFile(rows);
  ASSERT_OK(db_->DeleteRange({}, db_->DefaultColumnFamily(), RowKey(50),
                             RowKey(150)));
  Flush();
  Reopen();
  EXPECT_EQ(AllProperties(db_.get()).front()->num_filter_entries, 0);
  ExpectRows({0, 50});
  ExpectRows({150, 200});
  for (uint64_t i = 50; i < 150; ++i) {
    EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ");
  }
}

TEST_P(FullFilterTest, PropertiesDescribeTheFilter) {
  table_.optimize_filters_for_memory = false;
  Reopen();
  const Rows rows{0, 40000};
  WriteFile(rows);
  const auto properties = AllProperties(db_.get());
  ASSERT_EQ(properties.size(), 1);
  EXPECT_EQ(properties[0]->filter_policy_name, PolicyName(GetParam()));
  EXPECT_EQ(properties[0]->num_filter_entries, rows.present());
  // 10 bits per key, to one line and the metadata.
  EXPECT_GE(properties[0]->filter_size, rows.present() * 10 / 8);
  EXPECT_LE(properties[0]->filter_size, rows.present() * 10 / 8 + 64 + 128);
}

TEST_P(FullFilterTest, KeyMayExist) {
  Reopen();
  const Rows rows{0, 2000};
  WriteFile(rows);
  uint64_t may_exist = 0;
  std::string value;
  for (uint64_t i = rows.begin; i + 1 < rows.end; i += 2) {
    EXPECT_TRUE(db_->KeyMayExist({}, RowKey(i), &value));
    may_exist += db_->KeyMayExist({}, RowKey(i + 1), &value) ? 1 : 0;
  }
  EXPECT_LE(may_exist, rows.missing() / 25);
}

// A Get that may read nothing: the filter, which is in memory, still answers.
TEST_P(FullFilterTest, GetFromTheBlockCacheAlone) {
  Reopen();
  const Rows rows{0, 2000};
  WriteFile(rows);
  rocksdb::ReadOptions no_reads;
  no_reads.read_tier = rocksdb::kBlockCacheTier;

  TakeCounts();
  uint64_t not_found = 0;
  uint64_t incomplete = 0;
  for (uint64_t i = 1; i + 1 < rows.end; i += 2) {
    std::string value;
    const rocksdb::Status status = db_->Get(no_reads, RowKey(i), &value);
    not_found += status.IsNotFound() ? 1 : 0;
    incomplete += status.IsIncomplete() ? 1 : 0;
  }
  const FilterCounts missing = TakeCounts();
  EXPECT_EQ(not_found, missing.no);
  EXPECT_EQ(incomplete, missing.maybe);
  EXPECT_LE(incomplete, rows.missing() / 25);

  std::string value;
  EXPECT_TRUE(db_->Get(no_reads, RowKey(100), &value).IsIncomplete());
  EXPECT_EQ(GetText(db_.get(), RowKey(100)), RowValue(100));
  EXPECT_EQ(GetText(db_.get(), RowKey(100), no_reads), RowValue(100));
}

// The keys of one file are in one filter however many there are of a row:
// snapshots keep old versions of it.
TEST_P(FullFilterTest, OneEntryForAllVersionsOfARow) {
  Reopen();
  const Rows rows{0, 1000};
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (int version = 0; version < 5; ++version) {
    for (uint64_t i = rows.begin; i < rows.end; i += 2) {
      ASSERT_OK(db_->Put({}, RowKey(i), std::to_string(version)));
    }
    snapshots.push_back(db_->GetSnapshot());
  }
  PutRows(rows);
  Flush();
  const auto properties = AllProperties(db_.get());
  ASSERT_EQ(properties.size(), 1);
  EXPECT_EQ(properties[0]->num_entries, 6 * rows.present());
  EXPECT_EQ(properties[0]->num_filter_entries, rows.present());
  ExpectFilterWorks(rows);
  for (size_t version = 0; version < snapshots.size(); ++version) {
    rocksdb::ReadOptions as_of;
    as_of.snapshot = snapshots[version];
    for (uint64_t i = rows.begin; i < rows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), as_of), std::to_string(version));
    }
    db_->ReleaseSnapshot(snapshots[version]);
  }
}

}  // namespace
}  // namespace linebloom
