// Filters for a rate: through RocksDB's interface, with a policy that has a
// false_positive_rate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "filter_policy/filter/sizing.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

OwnedPolicy PolicyOfRate(double rate) {
  return MakePolicy({.false_positive_rate = rate});
}

// 16 bytes. Keys in a filter have even numbers, missing ones odd.
std::string_view KeyOf(uint64_t number, uint64_t (&bytes)[2]) {
  bytes[0] = number;
  bytes[1] = 0x6b6579;
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}

std::string BuildBlockOf(const rocksdb::FilterPolicy& policy, uint64_t keys) {
  uint64_t bytes[2];
  const auto builder = NewBuilder(policy);
  for (uint64_t i = 0; i < keys; ++i) builder->AddKey(KeyOf(2 * i, bytes));
  return FinishToString(builder.get());
}

double MeasureRate(const rocksdb::FilterPolicy& policy,
                   const std::string& block, uint64_t lookups) {
  const auto reader = NewReader(policy, block);
  std::mt19937_64 random(1);
  uint64_t found = 0;
  uint64_t bytes[2];
  for (uint64_t i = 0; i < lookups; ++i) {
    found += reader->MayMatch(KeyOf(random() | 1, bytes)) ? 1 : 0;
  }
  return static_cast<double>(found) / static_cast<double>(lookups);
}

// Within 3 % from 10,000 keys on. Smaller filters round up to whole lines: not
// above the rate except by chance, and not below what one line more explains.
TEST(RateTest, FiltersComeNearTheRate) {
  for (const double rate : {0.2, 0.1, 0.01, 0.001}) {
    const auto policy = PolicyOfRate(rate);
    for (const int keys : {1, 60, 1000, 3000, 10000, 12345, 50000}) {
      const double stated =
          InfoOf(BuildBlockOf(*policy, keys)).expected_false_positive_rate;
      const bool is_large = keys >= 10000;
      EXPECT_LE(stated, rate * (is_large ? 1.03 : 1.1))
          << keys << " keys, rate " << rate;
      if (keys < 1000) continue;
      EXPECT_GE(stated, rate * (is_large ? 0.97 : 0.95 - 360.0 / keys))
          << keys << " keys, rate " << rate;
    }
  }
}

// Up to 1M keys; LINEBLOOM_RATE_KEYS=10000000 goes up to 10M.
TEST(RateTest, FalsePositiveRateOf1Percent) {
  const char* const wanted = std::getenv("LINEBLOOM_RATE_KEYS");
  const uint64_t max_keys = wanted != nullptr ? std::atoll(wanted) : 1000000;
  const auto policy = PolicyOfRate(0.01);
  for (uint64_t keys = 10000; keys <= max_keys; keys *= 10) {
    const std::string block = BuildBlockOf(*policy, keys);
    const double measured = MeasureRate(*policy, block, 5000000);
    printf(
        "%9llu keys: requested 0.01, predicted %.6f, measured %.6f, %.3f bits "
        "per key\n",
        static_cast<unsigned long long>(keys),
        InfoOf(block).expected_false_positive_rate, measured,
        8.0 * static_cast<double>(block.size()) / static_cast<double>(keys));
    EXPECT_NEAR(measured, 0.01, 0.0003);
  }
}

// RocksDB's Bloom filter needs more memory for the rate measured for ours.
TEST(RateTest, FalsePositiveRateAgainstRocksDbsBloom) {
  constexpr uint64_t kKeys = 1000000;
  constexpr uint64_t kLookups = 5000000;
  const auto ours = PolicyOfRate(0.01);
  const std::string block = BuildBlockOf(*ours, kKeys);
  const double rate = MeasureRate(*ours, block, kLookups);
  double bits = 9.7;
  std::string theirs;
  do {
    bits += 0.02;
    const auto bloom = MakeBloom(bits);
    theirs = BuildBlockOf(*bloom, kKeys);
    if (MeasureRate(*bloom, theirs, kLookups) <= rate) break;
  } while (bits < 12);
  const double share =
      static_cast<double>(block.size()) / static_cast<double>(theirs.size());
  printf(
      "for a measured rate of %.6f: %.3f of the bytes of RocksDB's Bloom, "
      "which needs %.2f bits per key\n",
      rate, share, bits);
  EXPECT_LE(share, 0.88);
}

}  // namespace
}  // namespace linebloom
