#include "tools/io_compare/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "tests/tools/run_program.h"
#include "tools/io_compare/measure.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/layered_rows.h"
#include "tools/io_compare/rows/lookups.h"
#include "tools/io_compare/rows/shape.h"
#include "tools/io_compare/warm_up.h"
#include "tools/shared/policies.h"
#include "tools/shared/ribbon.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

constexpr uint64_t kRows = 10'000;

class DatabaseTest : public testing::Test {
 protected:
  // Builds a policy's database and opens it for measuring.
  std::unique_ptr<rocksdb::DB> Build(const std::string& policy_name,
                                     const std::string& folder) {
    RegisterFilterPolicy();
    const auto policy = MakePolicy(policy_name, 10, 14);
    EXPECT_TRUE(policy.ok()) << policy.status();
    const absl::Status built = BuildDatabase(&rows_, {policy->policy},
                                             folder_.File(folder), &progress_);
    EXPECT_TRUE(built.ok()) << built;
    auto db = OpenForMeasuring(rows_, {policy->policy}, folder_.File(folder),
                               /*cache_bytes=*/64 << 10, /*direct_io=*/false);
    EXPECT_TRUE(db.ok()) << db.status();
    return *std::move(db);
  }

  Measurement Measure(rocksdb::DB* db, const std::string& folder,
                      double hit_ratio, uint32_t threads) {
    const Lookups lookups = ChooseLookups(keys_, KeysBetween(kRows, 2), 5000,
                                          hit_ratio, Skew(), /*seed=*/1);
    // In two rounds, whose results add up.
    const uint64_t size = lookups.keys.size();
    Measurement measured;
    for (const auto& [begin, end] :
         {std::pair{uint64_t{0}, size / 3}, {size / 3, size}}) {
      const absl::Status status = MeasureRound(
          db, folder_.File(folder),
          {.keys = &lookups.keys, .begin = begin, .end = end}, threads,
          /*drop_pages=*/true, &progress_, &measured);
      EXPECT_TRUE(status.ok()) << status;
    }
    return measured;
  }

  static std::set<uint64_t> FileNumbers(rocksdb::DB* db) {
    std::vector<rocksdb::LiveFileMetaData> live;
    db->GetLiveFilesMetaData(&live);
    std::set<uint64_t> numbers;
    for (const rocksdb::LiveFileMetaData& file : live) {
      numbers.insert(file.file_number);
    }
    return numbers;
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

// io_compare warms up databases with heat-aware policies.
TEST_F(DatabaseTest, WarmingUpRewritesFilesAndChangesNothingElse) {
  std::unique_ptr<rocksdb::DB> plain = Build("linebloom", "plain");
  const auto policy = MakePolicy("linebloom", 10, 14);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_FALSE(policy->heat_aware);
  const KeysBetween missing(kRows, 2);
  const WarmLookups lookups = {.existing = &keys_,
                               .missing = &missing,
                               .skew = Skew(),
                               .hit_ratio = 0.5,
                               .seed = 1,
                               .count = 10'000};
  uint64_t sampled = 0;
  size_t files = 0;
  const absl::Status built = BuildDatabase(
      &rows_, {policy->policy}, folder_.File("warm"), &progress_,
      [&](rocksdb::DB* db) {
        const absl::Status warm = WarmUp(db, lookups, 2, &progress_);
        std::vector<rocksdb::LiveFileMetaData> live;
        db->GetLiveFilesMetaData(&live);
        for (const rocksdb::LiveFileMetaData& file : live) {
          sampled += file.num_reads_sampled;
        }
        files = live.size();
        return warm;
      });
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_GT(sampled, 0u);
  EXPECT_EQ(files, rows_.files().size() - 1);
  const auto warm = OpenForMeasuring(rows_, {policy->policy},
                                     folder_.File("warm"), 64 << 10, false);
  ASSERT_TRUE(warm.ok()) << warm.status();
  EXPECT_EQ(DescribeDifference(ReadShape(plain.get()), "plain",
                               ReadShape(warm->get()), "warm"),
            "");
  EXPECT_EQ(FileNumbers(plain.get()).size(), files + 1);
  std::vector<uint64_t> in_both;
  const std::set<uint64_t> before = FileNumbers(plain.get());
  for (const uint64_t number : FileNumbers(warm->get())) {
    if (before.count(number) > 0) in_both.push_back(number);
  }
  // Only those of level 0 stay.
  EXPECT_EQ(in_both.size(), 3u);
  const Measurement m = Measure(warm->get(), "warm", 0.5, 1);
  EXPECT_EQ(m.found, 2500u);
  EXPECT_EQ(m.answers, Measure(plain.get(), "plain", 0.5, 1).answers);
}

TEST_F(DatabaseTest, StopsWhereWarmingUpFails) {
  const absl::Status built =
      BuildDatabase(&rows_, {}, folder_.File("db"), &progress_,
                    [](rocksdb::DB*) { return absl::CancelledError("stop"); });
  EXPECT_TRUE(absl::IsCancelled(built));
}

TEST_F(DatabaseTest, AMissingKeyCostsABlockForEachRunWithoutFilter) {
  const std::unique_ptr<rocksdb::DB> db = Build("none", "none");
  const Measurement m = Measure(db.get(), "none", 0, 1);
  EXPECT_EQ(m.lookups, 5000u);
  EXPECT_EQ(m.found, 0u);
  // The cache holds a few blocks, which matters for small files.
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
  ASSERT_EQ(m.rounds.size(), 2u);
  EXPECT_GT(m.rounds[0].lookups_per_second, 0);
  EXPECT_GT(m.rounds[1].latency.mean, 0);
  EXPECT_DOUBLE_EQ(m.latencies.SlowerThan().front().second, 1);
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
  // No run reaches from the first key to the last.
  EXPECT_NEAR(*predicted.all, sum / 6, 0.05 * sum / 6);
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
  // (For small files RocksDB uses a larger Bloom filter instead.)
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
  // At the same rate Ribbon needs 0.7 times the memory.
  EXPECT_GT(bits, 13);
  EXPECT_LT(bits, 16);
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

TEST(LatencyHistogramTest, SaysWhichShareTookLonger) {
  LatencyHistogram histogram;
  EXPECT_TRUE(histogram.SlowerThan().empty());
  histogram.Add(std::vector<uint32_t>(97, 1024));
  histogram.Add({0, 1 << 20, ~uint32_t{0}});
  const auto points = histogram.SlowerThan();
  // At both ends of each class with lookups, except the last end.
  ASSERT_EQ(points.size(), 7u);
  EXPECT_DOUBLE_EQ(points[0].first, 0.001);
  EXPECT_DOUBLE_EQ(points[0].second, 1);
  EXPECT_DOUBLE_EQ(points[2].first, 1.024);
  EXPECT_DOUBLE_EQ(points[2].second, 0.99);
  EXPECT_NEAR(points[3].first, 1.024 * 1.044, 0.001);
  EXPECT_DOUBLE_EQ(points[3].second, 0.02);
  EXPECT_DOUBLE_EQ(points[4].first, 1048.576);
  EXPECT_DOUBLE_EQ(points[6].second, 0.01);
}

TEST(MeasurementTest, CountsReadsWithTheirInterval) {
  Measurement m;
  m.lookups = 1000;
  m.data_block_reads = 10;
  EXPECT_DOUBLE_EQ(m.reads_per_lookup(), 0.01);
  EXPECT_NEAR(m.reads_interval().low, 0.00543, 1e-5);
  EXPECT_NEAR(m.reads_interval().high, 0.01841, 1e-5);
}

}  // namespace
}  // namespace linebloom::tools
