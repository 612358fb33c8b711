// Compaction rewrites files, and with them their filters.

#include <algorithm>
#include <string>

#include "rocksdb/compaction_filter.h"
#include "rocksdb/universal_compaction.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// Drops every row whose number is a multiple of four.
class DropFourths : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "test.DropFourths"; }
  bool Filter(int, const rocksdb::Slice& key, const rocksdb::Slice&,
              std::string*, bool*) const override {
    return std::stoull(key.ToString().substr(3)) % 4 == 0;
  }
};

class CompactionTest : public PolicyTest {
 protected:
  // The rows whose number is a multiple of four are gone; the filters answer
  // for them as for any row that never was.
  void ExpectFourthsLeftTheFilter() {
    EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present() / 2);
    TakeCounts();
    for (uint64_t i = 4; i + 2 < kRows.end; i += 4) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ");
    }
    const uint64_t asked = kRows.present() / 2 - 1;
    const FilterCounts gone = TakeCounts();
    EXPECT_EQ(gone.no + gone.maybe, asked);
    EXPECT_EQ(gone.true_positive, 0);
    EXPECT_GE(gone.no, asked * 95 / 100);
    for (uint64_t i = 2; i < kRows.end; i += 4) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i)), RowValue(i));
    }
    EXPECT_EQ(TakeCounts(),
              (FilterCounts{0, kRows.present() / 2, kRows.present() / 2}));
  }

  static constexpr Rows kRows{0, 4000};
};
INSTANTIATE_POLICY_TEST(CompactionTest);

TEST_P(CompactionTest, DeletedRowsLeaveTheFilter) {
  Reopen();
  WriteFile(kRows);
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
  for (uint64_t i = 0; i < kRows.end; i += 4) {
    ASSERT_OK(db_->Delete({}, RowKey(i)));
  }
  // What is read from here until the compaction is in row_kinds_test.cc.
  Flush();
  CompactAll();
  ExpectFourthsLeftTheFilter();
}

TEST_P(CompactionTest, RowsOfDeletedRangesLeaveTheFilter) {
  Reopen();
  WriteFile(kRows);
  for (uint64_t i = 0; i < kRows.end; i += 4) {
    ASSERT_OK(db_->DeleteRange({}, db_->DefaultColumnFamily(), RowKey(i),
                               RowKey(i + 1)));
  }
  Flush();
  CompactAll();
  ExpectFourthsLeftTheFilter();
}

TEST_P(CompactionTest, RowsDroppedByACompactionFilterLeaveTheFilter) {
  static const DropFourths drop_fourths;
  options_.compaction_filter = &drop_fourths;
  Reopen();
  WriteFile(kRows);
  CompactAll();
  ExpectFourthsLeftTheFilter();
}

TEST_P(CompactionTest, OldVersionsLeaveTheFilter) {
  Reopen();
  for (int version = 0; version < 3; ++version) {
    WriteFile(kRows);
  }
  EXPECT_EQ(SumOfFilterEntries(db_.get()), 3 * kRows.present());
  ExpectFilterWorks(kRows, 3);
  CompactAll();
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
  ExpectFilterWorks(kRows);
}

TEST_P(CompactionTest, ManyOutputFiles) {
  options_.target_file_size_base = 64 << 10;
  Reopen();
  const Rows rows{0, 20000};
  WriteFile(rows);
  WriteFile(rows);
  CompactAll();
  const auto properties = AllProperties(db_.get());
  EXPECT_GE(properties.size(), 3);
  for (const auto& file : properties) {
    EXPECT_EQ(file->num_filter_entries, file->num_entries);
    EXPECT_EQ(file->filter_policy_name, PolicyName(GetParam()));
  }
  EXPECT_EQ(CountPresent(rows),
            (FilterCounts{0, rows.present(), rows.present()}));
  EXPECT_GE(CountMissing(rows).no, rows.missing() * 96 / 100);
}

// A file that is moved to another level keeps the filter it was written with.
TEST_P(CompactionTest, MovedFilesKeepTheirFilter) {
  Reopen();
  WriteFile(kRows);
  rocksdb::CompactRangeOptions move;
  move.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  ASSERT_OK(db_->CompactRange(move, nullptr, nullptr));
  rocksdb::ColumnFamilyMetaData files;
  db_->GetColumnFamilyMetaData(&files);
  EXPECT_TRUE(files.levels[0].files.empty());
  ExpectFilterWorks(kRows);
}

TEST_P(CompactionTest, Universal) {
  options_.compaction_style = rocksdb::kCompactionStyleUniversal;
  options_.num_levels = 5;
  Reopen();
  for (int run = 0; run < 4; ++run) {
    WriteFile(kRows);
  }
  ExpectFilterWorks(kRows, 4);
  CompactAll();
  ExpectFilterWorks(kRows);
  WriteFile(kRows);
  ExpectFilterWorks(kRows, 2);

  // On its own now.
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 3;
  Reopen();
  for (int run = 0; run < 6; ++run) {
    WriteFile(kRows);
  }
  ASSERT_OK(db_->Flush({}));
  ASSERT_OK(db_->PauseBackgroundWork());
  ExpectFilterWorks(kRows, AllProperties(db_.get()).size());
  ASSERT_OK(db_->ContinueBackgroundWork());
}

// FIFO drops whole files, and the filters of the others stay.
TEST_P(CompactionTest, Fifo) {
  options_.compaction_style = rocksdb::kCompactionStyleFIFO;
  options_.compaction_options_fifo.max_table_files_size = 300 << 10;
  options_.disable_auto_compactions = false;
  Reopen();
  for (int file = 0; file < 8; ++file) {
    WriteFile(kRows);
  }
  ASSERT_OK(db_->PauseBackgroundWork());
  const size_t files = AllProperties(db_.get()).size();
  EXPECT_GE(files, 1);
  EXPECT_LT(files, 8);
  ExpectFilterWorks(kRows, files);
  ASSERT_OK(db_->ContinueBackgroundWork());
}

// The last level goes without filters when all lookups are hits.
TEST_P(CompactionTest, OptimizeFiltersForHits) {
  options_.optimize_filters_for_hits = true;
  Reopen();
  WriteFile(kRows);
  CompactAll();
  EXPECT_EQ(CountMissing(kRows), FilterCounts());
  WriteFile(kRows);
  ExpectFilterWorks(kRows);  // the file above is asked, the last level not
}

}  // namespace
}  // namespace linebloom
