// The model of a cache beside RocksDB's own.
#include "filter_policy/bits/cache_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "filter_policy/bits/rocksdb_cache.h"

namespace linebloom {
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
    model.Add(/*bytes=*/1, rates[i] / sum, is_high(i));
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
  model.Add(1000, 0.1, true);
  model.Solve(1000, 0.5);
  EXPECT_EQ(model.MissRatio(0.1, true), 0);
  for (const double capacity : {0.0, -1.0}) {
    model.Solve(capacity, 0.5);
    EXPECT_EQ(model.MissRatio(0.1, true), 1);
    EXPECT_EQ(model.MissRatio(0.1, false), 1);
  }
}

// Alike blocks are evicted alike: the share that is in the cache is found.
TEST(CacheModelTest, HoldsItsShareOfAlikeBlocks) {
  for (const double high_share : {0.0, 0.5, 1.0}) {
    CacheModel model;
    model.Add(1e6, 1e-3, true);
    model.Solve(3e5, high_share);
    EXPECT_NEAR(model.MissRatio(1e-3, true), 0.7, 0.01) << high_share;
  }
}

}  // namespace
}  // namespace linebloom
