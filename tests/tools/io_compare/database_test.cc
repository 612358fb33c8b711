#include "tools/io_compare/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "tests/tools/run_program.h"
#include "tools/io_compare/measure.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/layered_rows.h"
#include "tools/io_compare/rows/shape.h"
#include "tools/policies/policy_spec.h"
#include "tools/policies/ribbon.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

constexpr uint64_t kRows = 10'000;

class DatabaseTest : public testing::Test {
 protected:
  // Builds the database of a policy and opens it for measuring.
  std::unique_ptr<rocksdb::DB> Build(const std::string& policy_name,
                                     const std::string& folder) {
    RegisterFilterPolicy();
    const auto policy = MakePolicy(policy_name, 10, 14);
    EXPECT_TRUE(policy.ok()) << policy.status();
    const absl::Status built = BuildDatabase(&rows_, {policy->policy},
                                             folder_.File(folder), &progress_);
    EXPECT_TRUE(built.ok()) << built;
    auto db = OpenForMeasuring(rows_, {policy->policy}, folder_.File(folder),
                               /*direct_io=*/false);
    EXPECT_TRUE(db.ok()) << db.status();
    return *std::move(db);
  }

  Measurement Measure(rocksdb::DB* db, const std::string& folder,
                      double hit_ratio, uint32_t threads) {
    const Lookups lookups = ChooseLookups(keys_, KeysBetween(kRows, 2), 5000,
                                          hit_ratio, /*seed=*/1);
    auto measured =
        MeasureLookups(db, folder_.File(folder), {&lookups.keys}, threads,
                       /*drop_pages=*/true, &progress_);
    EXPECT_TRUE(measured.ok()) << measured.status();
    return *measured;
  }

  TemporaryFolder folder_;
  Progress progress_;
  NumberedKeys keys_{kRows, 2};
  LayeredRows rows_{&keys_, 100, 1};
};

TEST_F(DatabaseTest, HasThePlannedFilesWhateverTheFilter) {
  const std::unique_ptr<rocksdb::DB> none = Build("none", "none");
  const std::unique_ptr<rocksdb::DB> bloom = Build("bloomfilter:30", "bloom");
  const Shape shape = ReadShape(none.get());
  EXPECT_EQ(DescribeDifference(shape, "a", ReadShape(bloom.get()), "b"), "");
  EXPECT_EQ(shape.files.size(), rows_.files().size());
  EXPECT_EQ(shape.SortedRuns(), 6u);
  uint64_t last_level = 0;
  for (const PlannedFile& file : rows_.files()) {
    if (file.level == 3) last_level += file.entries;
  }
  EXPECT_EQ(shape.Levels()[3].entries, last_level);
}

TEST_F(DatabaseTest, AMissingKeyCostsABlockForEachRunWithoutFilter) {
  const std::unique_ptr<rocksdb::DB> db = Build("none", "none");
  const Measurement m = Measure(db.get(), "none", 0, 1);
  EXPECT_EQ(m.lookups, 5000u);
  EXPECT_EQ(m.found, 0u);
  // The cache holds a few blocks, which small files profit from.
  EXPECT_GT(m.reads_per_lookup(), 2.0);
  EXPECT_LT(m.reads_per_lookup(), 7.0);
  EXPECT_EQ(m.index_block_reads, 0u);
  EXPECT_EQ(m.filter_block_reads, 0u);
  EXPECT_GT(m.block_bytes, m.data_block_reads * 3000);
  EXPECT_EQ(m.answers, FilterAnswers());
  EXPECT_TRUE(m.answers_by_level.levels.empty());
}

TEST_F(DatabaseTest, CountsFalsePositivesForEachFile) {
  const std::unique_ptr<rocksdb::DB> db = Build("rocksdb-bloom", "bloom");
  const Measurement m = Measure(db.get(), "bloom", 0, 1);
  EXPECT_GT(m.answers.probes_without_key(), 5 * m.lookups);
  EXPECT_LE(m.answers.probes_without_key(), 6 * m.lookups);
  EXPECT_EQ(m.answers.true_positives, 0u);
  EXPECT_GE(m.answers.false_positives(), m.data_block_reads / 2);
  const std::optional<double> observed = m.answers.false_positive_rate();
  ASSERT_TRUE(observed.has_value());
  const std::optional<double> predicted =
      PredictFalsePositiveRates(db.get()).all;
  ASSERT_TRUE(predicted.has_value());
  EXPECT_GT(*observed, 0.5 * *predicted);
  EXPECT_LT(*observed, 2 * *predicted);
}

TEST_F(DatabaseTest, FindsEveryRowFromSeveralThreads) {
  const std::unique_ptr<rocksdb::DB> db = Build("rocksdb-ribbon", "ribbon");
  const Measurement m = Measure(db.get(), "ribbon", 0.5, 3);
  EXPECT_EQ(m.found, 2500u);
  EXPECT_EQ(m.answers.true_positives, 2500u);
  EXPECT_EQ(m.answers_by_level.all(), m.answers);
  EXPECT_GT(m.data_block_reads, 1500u);
  EXPECT_GT(m.lookups_per_second, 0);
}

TEST_F(DatabaseTest, ObservesAndPredictsEachLevel) {
  const std::unique_ptr<rocksdb::DB> db = Build("linebloom:6", "linebloom");
  const Measurement m = Measure(db.get(), "linebloom", 0, 2);
  const PredictedRates predicted = PredictFalsePositiveRates(db.get());
  EXPECT_EQ(m.answers_by_level.all(), m.answers);
  ASSERT_EQ(m.answers_by_level.levels.size(), 4u);
  ASSERT_EQ(predicted.levels.size(), 4u);
  double sum = 0;
  for (const auto& [level, answers] : m.answers_by_level.levels) {
    const double runs = level == 0 ? 3 : 1;
    const auto probes = static_cast<double>(answers.probes_without_key());
    EXPECT_GT(probes, 0.9 * runs * 5000) << level;
    EXPECT_LE(probes, runs * 5000) << level;
    // Four standard deviations.
    const double rate = predicted.levels.at(level);
    EXPECT_NEAR(*answers.false_positive_rate(), rate,
                4 * std::sqrt(rate / probes))
        << level;
    sum += runs * rate;
  }
  EXPECT_NEAR(*predicted.all, sum / 6, 1e-12);
}

TEST_F(DatabaseTest, PredictsOnlyWhatItKnows) {
  const PredictedRates none =
      PredictFalsePositiveRates(Build("none", "none").get());
  EXPECT_EQ(none.all, std::nullopt);
  EXPECT_TRUE(none.levels.empty());
  const auto ribbon =
      PredictFalsePositiveRates(Build("ribbonfilter:10:-1", "ribbon").get())
          .all;
  ASSERT_TRUE(ribbon.has_value());
  // (In small files RocksDB takes a larger Bloom filter instead.)
  EXPECT_GT(*ribbon, 0.001);
  EXPECT_LT(*ribbon, 0.012);
}

TEST_F(DatabaseTest, RefusesAFolderThatCannotBe) {
  const absl::Status status =
      BuildDatabase(&rows_, {}, "/proc/no_such_folder", &progress_);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/no_such_folder"));
}

TEST(ShapeTest, DescribesTheFirstDifference) {
  const FileShape top = {0, "a", "z", 10, 0};
  const FileShape bottom = {2, "b", "y", 100, 5};
  const Shape shape = {{top, bottom}};
  EXPECT_EQ(DescribeDifference(shape, "one", shape, "other"), "");

  EXPECT_EQ(DescribeDifference(shape, "one", {{top}}, "other"),
            "level 2 has 1 files with one and 0 with other");

  FileShape changed = bottom;
  changed.entries = 99;
  EXPECT_THAT(DescribeDifference(shape, "one", {{top, changed}}, "other"),
              HasSubstr("99 entries"));
  changed = bottom;
  changed.deletions = 6;
  EXPECT_NE(DescribeDifference(shape, "one", {{top, changed}}, "other"), "");
  changed = bottom;
  changed.largest_key = "x";
  EXPECT_THAT(DescribeDifference(shape, "one", {{top, changed}}, "other"),
              HasSubstr("to 'x'"));
}

TEST(ShapeTest, CountsSortedRuns) {
  const Shape shape = {{{0, "a", "z", 1, 0},
                        {0, "b", "y", 1, 0},
                        {2, "a", "m", 1, 0},
                        {2, "n", "z", 1, 0},
                        {5, "a", "z", 1, 0}}};
  EXPECT_EQ(shape.SortedRuns(), 4u);
  EXPECT_EQ(shape.Levels().size(), 6u);
  EXPECT_EQ(Shape().SortedRuns(), 0u);
}

TEST(RibbonTest, TakesTheMemoryOfABloomFilter) {
  const auto bits = RibbonBitsAsBloom(10, 20'000);
  ASSERT_TRUE(bits.ok()) << bits.status();
  // At the same rate Ribbon needs 0.7 times the memory.
  EXPECT_GT(*bits, 13);
  EXPECT_LT(*bits, 16);
}

TEST(SummarizeLatencyTest, FindsMeanAndPercentiles) {
  std::vector<uint32_t> nanoseconds;
  for (uint32_t i = 1; i <= 101; ++i) nanoseconds.push_back(1000 * i);
  const Latency latency = SummarizeLatency(&nanoseconds);
  EXPECT_DOUBLE_EQ(latency.mean, 51);
  EXPECT_DOUBLE_EQ(latency.p50, 51);
  EXPECT_DOUBLE_EQ(latency.p99, 100);
  std::vector<uint32_t> one = {5000};
  EXPECT_DOUBLE_EQ(SummarizeLatency(&one).p99, 5);
}

}  // namespace
}  // namespace linebloom::tools
