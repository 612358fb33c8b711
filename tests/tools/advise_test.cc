// What lookups are expected to read, and the advice that follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_subcommand.h"
#include "tools/advise/cache_model.h"
#include "tools/advise/filter_curve.h"
#include "tools/advise/lookup_costs.h"
#include "tools/shared/info_log.h"
#if __has_include("rocksdb/advanced_cache.h")  // from 8.0 on
#include "rocksdb/advanced_cache.h"
#endif

namespace linebloom::tools {
namespace {

// RocksDB's LRUCache for blocks of one byte, with so much for those of high
// priority and those that were found again.
class BlockCache {
 public:
  BlockCache(size_t capacity, double high_share) {
    helper_.del_cb = [](auto...) {};
    rocksdb::LRUCacheOptions options;
    options.capacity = capacity;
    options.num_shard_bits = 0;
    options.high_pri_pool_ratio = high_share;
    options.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
    cache_ = rocksdb::NewLRUCache(options);
  }

  // Returns true if it is there.
  bool Request(int block, bool high_priority) {
    using Priority = rocksdb::Cache::Priority;
    const rocksdb::Slice key(reinterpret_cast<const char*>(&block),
                             sizeof(block));
    if (auto* const found = cache_->Lookup(key)) {
      cache_->Release(found);
      return true;
    }
    EXPECT_TRUE(cache_
                    ->Insert(key, this, &helper_, /*charge=*/1, nullptr,
                             high_priority ? Priority::HIGH : Priority::LOW)
                    .ok());
    return false;
  }

 private:
  rocksdb::Cache::CacheItemHelper helper_;
  std::shared_ptr<rocksdb::Cache> cache_;
};

// Half of 2,000 blocks have high priority; Zipf's law for their popularity.
void CompareWithCache(size_t capacity, double high_share) {
  constexpr int kBlocks = 2000;
  std::vector<double> rates(kBlocks);
  for (int i = 0; i < kBlocks; ++i) rates[i] = std::pow(1 + i, -0.8);
  const auto is_high = [](int block) { return block % 2 == 0; };

  BlockCache cache(capacity, high_share);
  std::mt19937_64 random(1);
  std::discrete_distribution<int> draw(rates.begin(), rates.end());
  std::array<double, 2> requests = {};
  std::array<double, 2> missed = {};
  for (int i = 0; i < 600'000; ++i) {
    const int block = draw(random);
    const bool found = cache.Request(block, is_high(block));
    if (i < 100'000) continue;
    ++requests[is_high(block)];
    missed[is_high(block)] += found ? 0 : 1;
  }

  double sum = 0;
  for (const double rate : rates) sum += rate;
  CacheModel model;
  for (int i = 0; i < kBlocks; ++i) {
    model.Add({1, 1, rates[i] / sum, is_high(i)});
  }
  model.Solve(static_cast<double>(capacity), high_share);
  std::array<double, 2> weights = {};
  std::array<double, 2> predicted = {};
  for (int i = 0; i < kBlocks; ++i) {
    weights[is_high(i)] += rates[i];
    predicted[is_high(i)] +=
        rates[i] * model.MissRatio(rates[i] / sum, is_high(i));
  }
  for (const int high : {0, 1}) {
    EXPECT_NEAR(predicted[high] / weights[high], missed[high] / requests[high],
                0.02)
        << "capacity " << capacity << ", high share " << high_share
        << ", high priority " << high;
  }
}

TEST(CacheModelTest, MissesAsMuchAsRocksDbsCache) {
  for (const size_t capacity : {100, 400, 1000, 1600}) {
    for (const double high_share : {0.0, 0.5}) {
      CompareWithCache(capacity, high_share);
    }
  }
}

TEST(CacheModelTest, ReadsNothingIfAllFitsAndAllWithoutMemory) {
  CacheModel model;
  model.Add({10, 100, 0.1, true});
  model.Solve(1000);
  EXPECT_EQ(model.MissRatio(0.1, true), 0);
  model.Solve(0);
  EXPECT_EQ(model.MissRatio(0.1, true), 1);
  EXPECT_EQ(model.MissRatio(0.1, false), 1);
}

TEST(FilterCurveTest, KnowsWhatPoliciesBuild) {
  const auto curve = FilterCurve::Of(
      [](int bits) { return "bloomfilter:" + std::to_string(bits); });
  ASSERT_TRUE(curve.ok()) << curve.status();
  const FilterSize ten = curve->Requested(10, 1000);
  EXPECT_NEAR(ten.bytes, 1250, 15);
  EXPECT_NEAR(ten.rate, 0.0095, 0.0005);
  const FilterSize between = curve->OfBits(9.5, 1000);
  EXPECT_GT(between.rate, ten.rate);
  EXPECT_LT(between.rate, curve->Requested(9, 1000).rate);
}

// A run of a thousand rows above one of nine thousand in three files.
std::vector<Tree> TwoRuns() {
  const auto file = [](int level, double rows, Stretch place) {
    TreeFile made;
    made.rows = made.filter_keys = rows;
    made.data_blocks = rows / 50;
    made.data_block_bytes = 4000;
    made.index_bytes = 20 * made.data_blocks;
    made.level = level;
    made.older_rows = level == 0 ? 9000 : 0;
    made.place = place;
    return made;
  };
  return {{{file(0, 1000, {0, 1}), file(1, 3000, {0, 0.33}),
            file(1, 3000, {0.33, 0.67}), file(1, 3000, {0.67, 1})}}};
}

std::vector<std::vector<FilterSize>> OfRate(double rate) {
  const double bytes = rate < 1 ? 1.25 : 0;  // per row
  return {{{1000 * bytes, rate},
           {3000 * bytes, rate},
           {3000 * bytes, rate},
           {3000 * bytes, rate}}};
}

TEST(ExpectReadsTest, CountsWhatLookupsNeedWithoutACache) {
  CacheUse use;
  use.capacity = 1;  // byte
  use.pin_level0 = false;
  const ExpectedReads reads = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_NEAR(reads.per_missing.filter, 2, 1e-9);
  EXPECT_NEAR(reads.per_missing.index, 0.02, 1e-9);
  EXPECT_NEAR(reads.per_missing.data, 0.02, 1e-9);
  // A tenth of the rows is in the upper run.
  EXPECT_NEAR(reads.per_present.filter, 1.9, 1e-9);
  EXPECT_NEAR(reads.per_present.data, 1.009, 1e-9);
  EXPECT_NEAR(reads.filter_bytes, 12'500, 1e-9);
  EXPECT_NEAR(reads.per_lookup(0.5),
              (reads.per_missing.all() + reads.per_present.all()) / 2, 1e-9);

  const ExpectedReads without = ExpectReads(TwoRuns(), OfRate(1), use, {});
  EXPECT_EQ(without.per_missing.filter, 0);
  EXPECT_NEAR(without.per_missing.data, 2, 1e-9);
}

TEST(ExpectReadsTest, PinsLevel0AndReadsPartsOfFilters) {
  CacheUse use;
  use.capacity = 5000;  // one filter of the lower run, with nothing else
  const ExpectedReads whole = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_LT(whole.per_missing.filter, 1);  // that of level 0 is pinned
  EXPECT_EQ(whole.largest_block, 3750);
  use.partitioned = true;
  use.metadata_block_bytes = 1000;
  const ExpectedReads parts = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_LT(parts.largest_block, 1000);
  use.capacity = 1e9;
  EXPECT_EQ(ExpectReads(TwoRuns(), OfRate(0.01), use, {}).per_missing.all(), 0);
}

TEST(ExpectReadsTest, KeepsWhatHotRangesNeed) {
  CacheUse use;
  use.capacity = 9000;
  ExpectedLookups even;
  ExpectedLookups hot;
  hot.skew = *Skew::Parse("90/10", 1);
  EXPECT_LT(
      ExpectReads(TwoRuns(), OfRate(0.01), use, hot).per_lookup(0),
      0.7 * ExpectReads(TwoRuns(), OfRate(0.01), use, even).per_lookup(0));
}

// A database of 60,000 rows in two levels, with Bloom filters of ten bits in a
// cache of 64 KiB.
class AdviseTest : public testing::Test {
 protected:
  AdviseTest() {
    RegisterFilterPolicy();
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.compression = rocksdb::kNoCompression;
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.cache_index_and_filter_blocks = true;
    table.block_cache = rocksdb::NewLRUCache(kCacheBytes);
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.statistics = rocksdb::CreateDBStatistics();
    Write();
  }

  void Write() {
    const auto db = Open();
    for (int i = 0; i < 60'000; ++i) {
      if (i == 50'000) {
        ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      }
      const auto key = absl::StrFormat("%08d", uint64_t{7919} * i % 60'013);
      ASSERT_TRUE(db->Put({}, key, std::string(20, 'v')).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }

  std::unique_ptr<rocksdb::DB> Open() {
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options_, db_, &opened).ok());
    return std::unique_ptr<rocksdb::DB>(opened);
  }

  absl::StatusOr<Outcome> Advise(const std::vector<std::string>& flags = {},
                                 const std::string& memory = "64KiB") const {
    std::vector<std::string> arguments = {db_, "--memory=" + memory};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunSubcommand(kAdvise, arguments);
  }

  // The files of the database and when they were last written.
  std::map<std::string, std::filesystem::file_time_type> Files() const {
    std::map<std::string, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::directory_iterator(db_)) {
      files[entry.path()] = entry.last_write_time();
    }
    return files;
  }

  static constexpr uint64_t kCacheBytes = 64 << 10;
  const TemporaryFolder folder_;
  rocksdb::Options options_;
  const std::string db_ = folder_.File("db");
};

TEST_F(AdviseTest, RecommendsWhatReadsLeastAndWritesNothing) {
  const auto db = Open();  // another process may have it open
  const auto before = Files();
  const auto outcome = Advise();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(Files(), before);
  const Json& json = outcome->json;
  EXPECT_EQ(json["rows"], 60'000);
  EXPECT_EQ(json["policies"], "bloomfilter");
  // 4 kinds of 14 sizes and 8 budgets, whole and partitioned.
  EXPECT_EQ(json["candidates"].size(), 2 * (4 * 14 + 8));
  double least = 1e9;
  for (const Json& candidate : json["candidates"]) {
    least = std::min<double>(least, candidate["reads_per_lookup"]);
    if (candidate["policy"] == "bloomfilter:10" &&
        candidate["partitioned"] == false) {
      EXPECT_NEAR(candidate["reads_per_lookup"],
                  json["present"]["reads_per_lookup"].get<double>(), 0.02);
      EXPECT_NEAR(candidate["filter_bytes"], 75'000, 1500);
    }
  }
  EXPECT_LE(json["recommended"]["reads_per_lookup"], 1.1 * least);
  EXPECT_LT(json["recommended"]["reads_per_lookup"],
            0.7 * json["present"]["reads_per_lookup"].get<double>());
  const std::string policy = json["recommended"]["policy"];
  EXPECT_THAT(outcome->text, testing::HasSubstr("filter_policy=" + policy));
}

TEST_F(AdviseTest, PresentRowsReadTheirData) {
  const auto all_fits = Advise({"--hit_ratio=1"}, "100MiB");
  ASSERT_TRUE(all_fits.ok()) << all_fits.status();
  EXPECT_EQ(all_fits->json["present"]["reads_per_lookup"], 0);
  // Filters and indexes, and a tenth of the data.
  const auto fits = Advise({"--hit_ratio=1"}, "400kB");
  ASSERT_TRUE(fits.ok()) << fits.status();
  const Json& present = fits->json["present"]["reads_per_present"];
  EXPECT_NEAR(present["data"], 0.85, 0.1);
  EXPECT_LT(present["filter"], 0.01);
}

TEST_F(AdviseTest, TakesHitsFromTheInfoLog) {
  options_.stats_dump_period_sec = 1;
  {
    const auto db = Open();
    std::string value;
    for (int i = 0; i < 100; ++i) {
      (void)db->Get({}, absl::StrFormat("%08d", i % 4 == 0 ? i : 90'000),
                    &value);
    }
    while (!ReadInfoLog(db_, "")->hit_ratio.has_value()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  const auto outcome = Advise();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_NEAR(outcome->json["hit_ratio"], 0.25, 0.02);
  EXPECT_THAT(outcome->text, testing::HasSubstr("(by the info log)"));
}

}  // namespace
}  // namespace linebloom::tools
