// Compares the observed rate with lookups whose answers are known individually.

#include "linebloom/observed_rate.h"

#include <string>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

FilterStats Answers(uint64_t negatives, uint64_t positives,
                    uint64_t true_positives) {
  return {negatives, positives, true_positives};
}

TEST(FilterStatsTest, RateIsOfProbesThatAFilterCanSave) {
  const FilterStats answers = Answers(990, 110, 100);
  EXPECT_EQ(answers.false_positives(), 10u);
  EXPECT_EQ(answers.probes_without_key(), 1000u);
  EXPECT_DOUBLE_EQ(*answers.false_positive_rate(), 0.01);
  EXPECT_DOUBLE_EQ(*Answers(0, 7, 0).false_positive_rate(), 1);
  EXPECT_DOUBLE_EQ(*Answers(7, 0, 0).false_positive_rate(), 0);
  EXPECT_EQ(FilterStats().false_positive_rate(), std::nullopt);
  EXPECT_EQ(Answers(0, 7, 7).false_positive_rate(), std::nullopt);
  // More true positives than positives are no false ones.
  EXPECT_EQ(Answers(5, 3, 4).false_positives(), 0u);
  EXPECT_DOUBLE_EQ(*Answers(5, 3, 4).false_positive_rate(), 0);
}

// After a reset, all counts are new.
TEST(FilterStatsTest, DifferenceOfTwoReadings) {
  EXPECT_EQ(Answers(100, 20, 5) - Answers(90, 12, 5), Answers(10, 8, 0));
  EXPECT_EQ(Answers(1, 1, 1) - Answers(1, 1, 1), FilterStats());
  EXPECT_EQ(Answers(9, 30, 5) - Answers(10, 2, 1), Answers(9, 30, 5));
  EXPECT_EQ(FilterStats() - Answers(10, 2, 1), FilterStats());
}

TEST(FilterStatsTest, LevelsAddUpAndSubtract) {
  FilterStatsByLevel before;
  before.levels[0] = Answers(1, 2, 1);
  before.levels[3] = Answers(5, 5, 5);
  FilterStatsByLevel after = before;
  after.levels[0] += Answers(10, 0, 0);
  after.levels[6] = Answers(7, 1, 0);
  const FilterStatsByLevel between = after - before;
  ASSERT_EQ(between.levels.size(), 2u);  // level 3 was not probed
  EXPECT_EQ(between.levels.at(0), Answers(10, 0, 0));
  EXPECT_EQ(between.levels.at(6), Answers(7, 1, 0));
  EXPECT_EQ(between.all(), Answers(17, 1, 0));
  before += between;
  EXPECT_EQ(before.levels, after.levels);
}

TEST(FilterStatsTest, TextForALog) {
  EXPECT_EQ(ToString(Answers(298'638, 1462, 100)),
            "0.454 % false positives: 1362 of 300000 probes of files without "
            "the key");
  EXPECT_EQ(ToString(Answers(99, 1, 0), 0.00941),
            "1 % false positives: 1 of 100 probes of files without the key; "
            "predicted 0.941 %");
  EXPECT_EQ(ToString(FilterStats()), "no probes of files without the key");
}

class ObservedRateTest : public PolicyTest {
 protected:
  FilterStats Read() { return GetFilterStats(*options_.statistics); }

  static FilterStatsByLevel ReadLevels() {
    return GetFilterStats(*rocksdb::get_perf_context());
  }

  // Three sorted runs with the same range: one of 20,000 rows in level 2, and
  // two files of 2,000 in level 0.
  void WriteRuns() {
    Reopen();
    WriteFile(kRows, 2);
    for (int file = 0; file < 2; ++file) {
      PutRows({kRows.end - 2, kRows.end});
      WriteFile(kRows, /*level=*/0, /*step=*/20);
    }
  }

  static constexpr Rows kRows{0, 40'000};
};
INSTANTIATE_POLICY_TEST(ObservedRateTest);

// Every missing row is looked up in all three files, and every row of level 2
// is missing in the two files above it.
TEST_P(ObservedRateTest, CountsEveryProbeInAllAndByLevel) {
  WriteRuns();
  // A row of the newest file is looked up only there.
  const uint64_t upper = kRows.present() / 10 + 1;
  const uint64_t only_below = kRows.present() - upper;
  std::vector<std::string> keys;
  for (uint64_t i = kRows.begin; i + 1 < kRows.end; ++i) {
    keys.push_back(RowKey(i));
  }
  const CountByLevel counting;
  for (const bool in_a_batch : {false, true}) {
    const FilterStats before = Read();
    const FilterStatsByLevel levels_before = ReadLevels();
    if (in_a_batch) {
      MultiGetTexts(db_.get(), keys);
    } else {
      for (const std::string& key : keys) GetText(db_.get(), key);
    }
    const FilterStats answers = Read() - before;
    const FilterStatsByLevel levels = ReadLevels() - levels_before;
    EXPECT_EQ(answers.true_positives, kRows.present());
    EXPECT_EQ(answers.probes_without_key(),
              3 * kRows.missing() + 2 * only_below);
    ASSERT_EQ(levels.levels.size(), 2u);
    EXPECT_EQ(levels.levels.at(0).true_positives, upper);
    EXPECT_EQ(levels.levels.at(0).probes_without_key(),
              2 * kRows.missing() + 2 * only_below);
    EXPECT_EQ(levels.levels.at(2).true_positives, only_below);
    EXPECT_EQ(levels.levels.at(2).probes_without_key(), kRows.missing());
    EXPECT_EQ(levels.all(), answers);
    // 10 bits per key: linebloom has 0.16 %, RocksDB's Bloom 0.95 %.
    EXPECT_GT(answers.false_positive_rate().value(), 0.001);
    EXPECT_LT(answers.false_positive_rate().value(), 0.014);
  }
}

// A filter of row prefixes says nothing about the cells of an existing row:
// such probes count as false positives, although the filter is right.
TEST_P(ObservedRateTest, CountsPrefixesOfGets) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(13));
  table_.whole_key_filtering = false;
  Reopen();
  for (uint64_t row = 0; row < 2000; row += 2) {
    ASSERT_OK(db_->Put({}, RowKey(row) + "cell1", ""));
    ASSERT_OK(db_->Put({}, RowKey(row) + "cell3", ""));
  }
  Flush();
  CountByLevel counting;
  const FilterStatsByLevel levels_before = ReadLevels();
  FilterStats before = Read();
  const auto look_up = [&](uint64_t first, const char* cell) {
    before = Read();
    for (uint64_t row = first; row < 1998; row += 2) {
      GetText(db_.get(), RowKey(row) + cell);
    }
    return Read() - before;
  };
  EXPECT_EQ(look_up(0, "cell1"), Answers(0, 999, 999));
  EXPECT_EQ(look_up(0, "cell2"), Answers(0, 999, 0));
  const FilterStats missing_rows = look_up(1, "cell2");
  EXPECT_EQ(missing_rows.probes_without_key(), 999u);
  EXPECT_GT(missing_rows.negatives, 960u);
  EXPECT_EQ((ReadLevels() - levels_before).all().probes_without_key(),
            2 * 999u);
}

// Scans, and lookups in a file without a filter.
TEST_P(ObservedRateTest, LeavesOthersOut) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
  Reopen();
  WriteFile({0, 2000});
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  const FilterStats before = Read();
  for (uint64_t i = 0; i < 4000; i += 100) {
    const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(read));
    rows->Seek(RowKey(i));
  }
  EXPECT_EQ(Read() - before, FilterStats());
  UsePolicy(kNone);
  DestroyAndReopen();
  WriteFile({0, 2000});
  GetText(db_.get(), RowKey(1));
  EXPECT_EQ((Read() - before).false_positive_rate(), std::nullopt);
}

TEST_P(ObservedRateTest, CountsByLevelOnlyWhileTold) {
  WriteRuns();
  const rocksdb::PerfLevel perf_level = rocksdb::GetPerfLevel();
  const FilterStatsByLevel before = ReadLevels();
  CountMissing(kRows);
  EXPECT_TRUE((ReadLevels() - before).levels.empty());
  {
    const CountByLevel counting;
    const CountByLevel again;
    CountMissing({0, 200});
  }
  EXPECT_EQ((ReadLevels() - before).all().probes_without_key(), 3 * 99u);
  EXPECT_EQ(rocksdb::GetPerfLevel(), perf_level);
  CountMissing(kRows);
  EXPECT_EQ((ReadLevels() - before).all().probes_without_key(), 3 * 99u);
  rocksdb::get_perf_context()->ClearPerLevelPerfContext();
  EXPECT_TRUE(ReadLevels().levels.empty());
}

}  // namespace
}  // namespace linebloom
