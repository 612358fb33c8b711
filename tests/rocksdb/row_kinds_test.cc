// All that a row can be: a value, a tombstone, a merge operand, an entity. A
// filter that left one of them out would bring back deleted rows or lose
// operands, so each kind lies here in a file of its own over older rows.

#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/merge_operator.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class AppendOperator : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Append"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing,
             const rocksdb::Slice& operand, std::string* result,
             rocksdb::Logger*) const override {
    result->assign(existing != nullptr ? existing->ToString() + "," : "");
    result->append(operand.data(), operand.size());
    return true;
  }
};

class RowKindsTest : public PolicyTest {
 protected:
  RowKindsTest() { options_.merge_operator.reset(new AppendOperator); }

  static constexpr Rows kRows{0, 2000};
};
INSTANTIATE_POLICY_TEST(RowKindsTest);

// A tombstone is found through the filter of its file, and counts as a true
// positive there.
TEST_P(RowKindsTest, Deletes) {
  Reopen();
  WriteFile(kRows);
  for (uint64_t i = 0; i < kRows.end; i += 4) {
    ASSERT_OK(db_->Delete({}, RowKey(i)));
  }
  Flush();
  TakeCounts();
  for (uint64_t i = 0; i < kRows.end; i += 4) {
    EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ");
  }
  EXPECT_EQ(TakeCounts(), (FilterCounts{0, 500, 500}));
  for (uint64_t i = 2; i < kRows.end; i += 4) {
    EXPECT_EQ(GetText(db_.get(), RowKey(i)), RowValue(i));
  }
}

TEST_P(RowKindsTest, SingleDeletes) {
  Reopen();
  WriteFile(kRows);
  for (uint64_t i = 0; i < kRows.end; i += 4) {
    ASSERT_OK(db_->SingleDelete({}, RowKey(i)));
  }
  Flush();
  for (bool compacted : {false, true}) {
    SCOPED_TRACE(compacted);
    for (uint64_t i = 0; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i)),
                i % 4 == 0 ? "NotFound: " : RowValue(i));
    }
    CompactAll();
  }
}

// A range tombstone is not in the filter: it hides rows by itself.
TEST_P(RowKindsTest, RangeDeletes) {
  Reopen();
  WriteFile(kRows);
  PutRows({100, 200});  // its file has keys too
  ASSERT_OK(db_->DeleteRange({}, db_->DefaultColumnFamily(), RowKey(400),
                             RowKey(1600)));
  PutRows({1000, 1200});  // rows newer than the tombstone
  Flush();
  for (bool compacted : {false, true}) {
    SCOPED_TRACE(compacted);
    ExpectRows({0, 400});
    ExpectRows({1000, 1200});
    ExpectRows({1600, 2000});
    for (uint64_t i = 400; i < 1600; ++i) {
      if (i < 1000 || i >= 1200) {
        EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ");
      }
    }
    CompactAll();
  }
}

// The operands of a row lie in several files, and all of them are found.
TEST_P(RowKindsTest, MergeOperands) {
  Reopen();
  WriteFile({0, 1000});  // half of the rows have a value below
  for (const char* operand : {"a", "b", "c"}) {
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Merge({}, RowKey(i), operand));
    }
    Flush();
  }
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round);
    TakeCounts();
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i)),
                i < 1000 ? RowValue(i) + ",a,b,c" : "a,b,c");
    }
    if (round == 0) {
      const FilterCounts present = TakeCounts();
      EXPECT_EQ(present.true_positive, 3 * kRows.present() + 500);
    }
    const FilterCounts missing = CountMissing({0, 1000});
    EXPECT_GE(missing.no, (round == 0 ? 4 : 1) * 499 * 96 / 100);
    CompactAll();
  }
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
}

TEST_P(RowKindsTest, OperandsOfOneRowInOneFile) {
  Reopen();
  std::vector<const rocksdb::Snapshot*> snapshots;  // keep them apart
  for (const char* operand : {"a", "b", "c"}) {
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Merge({}, RowKey(i), operand));
    }
    snapshots.push_back(db_->GetSnapshot());
  }
  Flush();
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
  const char* const as_of[] = {"a", "a,b", "a,b,c"};
  for (size_t version = 0; version < snapshots.size(); ++version) {
    rocksdb::ReadOptions read;
    read.snapshot = snapshots[version];
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read), as_of[version]);
    }
    db_->ReleaseSnapshot(snapshots[version]);
  }
}

TEST_P(RowKindsTest, Entities) {
  Reopen();
  for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
    ASSERT_OK(db_->PutEntity({}, db_->DefaultColumnFamily(), RowKey(i),
                             {{"", RowValue(i)}, {"column", "more"}}));
  }
  Flush();
  ExpectFilterWorks(kRows);
  rocksdb::PinnableWideColumns columns;
  ASSERT_OK(
      db_->GetEntity({}, db_->DefaultColumnFamily(), RowKey(42), &columns));
  ASSERT_EQ(columns.columns().size(), 2);
  EXPECT_EQ(columns.columns()[1].value().ToString(), "more");
  TakeCounts();
  EXPECT_TRUE(
      db_->GetEntity({}, db_->DefaultColumnFamily(), RowKey(41), &columns)
          .IsNotFound());
  EXPECT_EQ(TakeCounts().true_positive, 0);
}

// The value is in another file, the key is in the filter.
TEST_P(RowKindsTest, ValuesInBlobFiles) {
  options_.enable_blob_files = true;
  options_.min_blob_size = 1;
  Reopen();
  WriteFile(kRows);
  ExpectFilterWorks(kRows);
  CompactAll();
  ExpectFilterWorks(kRows);
}

#if ROCKSDB_IS_AT_LEAST(8, 10)  // the comparator is public from there on
// A key is in the filter without its timestamp.
TEST_P(RowKindsTest, TimestampsAreNotInTheFilter) {
  options_.comparator = rocksdb::BytewiseComparatorWithU64Ts();
  Reopen();
  for (uint64_t time : {10, 20, 30}) {
    std::string text;
    const rocksdb::Slice timestamp = rocksdb::EncodeU64Ts(time, &text);
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Put({}, RowKey(i), timestamp, std::to_string(time)));
    }
  }
  Flush();
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
  TakeCounts();
  for (uint64_t time : {10, 25, 30}) {
    std::string text;
    const rocksdb::Slice timestamp = rocksdb::EncodeU64Ts(time, &text);
    rocksdb::ReadOptions read;
    read.timestamp = &timestamp;
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read),
                std::to_string(time / 10 * 10));
    }
    EXPECT_EQ(TakeCounts(),
              (FilterCounts{0, kRows.present(), kRows.present()}));
    for (uint64_t i = 1; i + 1 < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read), "NotFound: ");
    }
    EXPECT_GE(TakeCounts().no, kRows.missing() * 96 / 100);
  }
}
#endif

}  // namespace
}  // namespace linebloom
