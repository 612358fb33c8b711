// Lookups in batches: the same answers as one by one, from the filters too.

#include <string>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class MultiGetTest : public PolicyTest {
 protected:
  // Three files of level 0 over one of the last level, all over the same rows.
  void WriteOverlappingFiles() {
    WriteFile({0, kEnd});
    CompactAll();
    WriteFile({0, kEnd / 2});
    WriteFile({kEnd / 4, kEnd});
    ASSERT_OK(db_->Put({}, RowKey(0), RowValue(0)));
    ASSERT_OK(db_->Put({}, RowKey(kEnd - 2), RowValue(kEnd - 2)));
    Flush();
  }

  // Asks for `keys` in one batch, and one by one. Both give the same rows and
  // ask the same of the filters.
  void ExpectSameAsGets(const std::vector<std::string>& keys,
                        const rocksdb::ReadOptions& read = {},
                        bool sorted = false) {
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    TakeCounts();
    db_->MultiGet(read, db_->DefaultColumnFamily(), keys.size(), slices.data(),
                  values.data(), statuses.data(), sorted);
    const FilterCounts batch = TakeCounts();
    for (size_t i = 0; i < keys.size(); ++i) {
      const std::string text =
          statuses[i].ok() ? values[i].ToString() : statuses[i].ToString();
      EXPECT_EQ(text, GetText(db_.get(), keys[i], read)) << keys[i];
    }
    EXPECT_EQ(batch, TakeCounts());
    total_.no += batch.no;
    total_.maybe += batch.maybe;
    total_.true_positive += batch.true_positive;
  }

  // `count` rows from `first`, `stride` numbers apart.
  static std::vector<std::string> Batch(uint64_t first, uint64_t stride,
                                        size_t count) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) {
      keys.push_back(RowKey((first + i * stride) % kEnd));
    }
    return keys;
  }

  static constexpr uint64_t kEnd = 8000;
  FilterCounts total_;  // of all batches
};
INSTANTIATE_POLICY_TEST(MultiGetTest);

// RocksDB cuts batches into pieces of 32 keys.
TEST_P(MultiGetTest, BatchesOfEverySize) {
  Reopen();
  WriteOverlappingFiles();
  for (size_t count = 1; count <= 100; ++count) {
    SCOPED_TRACE(count);
    ExpectSameAsGets(Batch(count * 17, 37, count));
  }
  // Half of the keys are missing. The four files are not all asked: a found
  // key ends a search, and no file holds every range.
  EXPECT_GE(total_.no, 100 * 101 / 2);
  EXPECT_GE(total_.true_positive, 100 * 101 / 2 / 2 - 100);
}

TEST_P(MultiGetTest, AllPresentAndAllMissing) {
  Reopen();
  const Rows rows{0, kEnd};
  WriteFile(rows);
  ExpectSameAsGets(Batch(0, 2, 1000));
  EXPECT_EQ(total_, (FilterCounts{0, 1000, 1000}));
  total_ = {};
  ExpectSameAsGets(Batch(1, 2, 1000));
  EXPECT_EQ(total_.no + total_.maybe, 1000);
  EXPECT_EQ(total_.true_positive, 0);
  EXPECT_GE(total_.no, 950);
}

TEST_P(MultiGetTest, SortedUnsortedAndRepeatedKeys) {
  Reopen();
  WriteOverlappingFiles();
  ExpectSameAsGets(Batch(0, 3, 200), {}, /*sorted=*/true);
  ExpectSameAsGets(Batch(77, 4999, 200));
  std::vector<std::string> repeated = Batch(10, 1, 20);
  repeated.insert(repeated.end(), repeated.begin(), repeated.end());
  ExpectSameAsGets(repeated);
  EXPECT_GE(total_.no, 200);
}

TEST_P(MultiGetTest, AsyncIo) {
  Reopen();
  WriteOverlappingFiles();
  rocksdb::ReadOptions read;
  read.async_io = true;
  for (bool across_levels : {false, true}) {
    read.optimize_multiget_for_io = across_levels;
    for (uint64_t first = 0; first < kEnd; first += 1000) {
      ExpectSameAsGets(Batch(first, 3, 100), read);
    }
  }
  EXPECT_GE(total_.no, 800);
}

TEST_P(MultiGetTest, Partitions) {
  table_.partition_filters = true;
  table_.index_type = table_.kTwoLevelIndexSearch;
  table_.metadata_block_size = 290;
  Reopen();
  WriteOverlappingFiles();
  for (uint64_t stride : {1, 2, 3, 50, 79}) {
    for (size_t count : {1, 2, 31, 32, 33, 64, 65, 100}) {
      SCOPED_TRACE(testing::Message() << stride << ", " << count);
      ExpectSameAsGets(Batch(1000, stride, count));
    }
  }
  EXPECT_GE(total_.no, 500);
}

// The batch asks for prefixes, and keys that have none are not filtered.
TEST_P(MultiGetTest, PrefixesAlone) {
  options_.prefix_extractor.reset(
      rocksdb::NewFixedPrefixTransform(RowKey(0).size()));
  table_.whole_key_filtering = false;
  Reopen();
  WriteFile({0, kEnd});
  for (const char* key : {"row", "rows", "row00000"}) {
    ASSERT_OK(db_->Put({}, key, "short"));
  }
  Flush();
  CompactAll();

  std::vector<std::string> keys = Batch(0, 1, 100);
  for (const char* key : {"row", "ro", "rows", "row00000", "row00001"}) {
    keys.push_back(key);
  }
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  TakeCounts();
  db_->MultiGet({}, db_->DefaultColumnFamily(), keys.size(), slices.data(),
                values.data(), statuses.data());
  const FilterCounts batch = TakeCounts();
  EXPECT_GE(batch.no, 47);
  EXPECT_LE(batch.no, 50);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(statuses[i].ok(), i % 2 == 0) << keys[i];
  }
  for (size_t i = 100; i < keys.size(); ++i) {
    EXPECT_EQ(statuses[i].ok(), keys[i] != "ro" && keys[i] != "row00001");
  }
}

// One batch over column families, each with another policy.
TEST_P(MultiGetTest, AcrossColumnFamilies) {
  Reopen();
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (PolicyKind kind : {GetParam(), PolicyKind::kNone,
                          PolicyKind::kBuiltinRibbon, PolicyKind::kLinebloom}) {
    UsePolicy(kind);
    rocksdb::ColumnFamilyHandle* family = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(
        OptionsWithTable(), std::to_string(families.size()), &family));
    families.push_back(family);
    for (uint64_t i = 0; i < 1000; i += 2) {
      ASSERT_OK(db_->Put({}, family, RowKey(i), family->GetName()));
    }
    ASSERT_OK(db_->Flush({}, family));
  }

  std::vector<std::string> keys = Batch(0, 1, 400);
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::ColumnFamilyHandle*> asked;
  for (size_t i = 0; i < keys.size(); ++i) {
    asked.push_back(families[i / 2 % families.size()]);
  }
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  TakeCounts();
  db_->MultiGet({}, keys.size(), asked.data(), slices.data(), values.data(),
                statuses.data());
  const FilterCounts counts = TakeCounts();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i % 2 == 0) {
      EXPECT_OK(statuses[i]);
      EXPECT_EQ(values[i].ToString(), asked[i]->GetName());
    } else {
      EXPECT_TRUE(statuses[i].IsNotFound());
    }
  }
  // Three of the four families have filters.
  EXPECT_EQ(counts.no + counts.maybe, 300);
  EXPECT_GE(counts.no, 140);
  EXPECT_EQ(counts.true_positive, 150);
  for (rocksdb::ColumnFamilyHandle* family : families) {
    ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace linebloom
