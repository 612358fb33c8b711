#include "filter_policy/policy/filter_bits_reader.h"

#include <gtest/gtest.h>

#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::FilterBitsReader;

class FilterBitsReaderTest : public testing::Test {
 protected:
  static bool MatchesAll(FilterBitsReader* reader,
                         const std::vector<std::string>& keys) {
    return CountMatches(reader, keys) == static_cast<int>(keys.size());
  }

  const OwnedPolicy policy_ = MakePolicy();
  const OwnedPolicy built_in_ = MakeBloom();
  const std::vector<std::string> keys_ = NumberedKeys("key", 5000);
  const std::vector<std::string> strangers_ = NumberedKeys("stranger", 5000);
};

// Each of the tail's three safeguards is sufficient alone.
TEST_F(FilterBitsReaderTest, EachPartOfTheTailAloneMeansMayMatch) {
  std::string block = BuildBlock(*policy_, keys_);
  for (const auto& [at, bytes] :
       {std::pair(size_t{2}, std::string("\x06\0\0", 3)),   // implementation
        std::pair(size_t{1}, std::string("\0\0\0\0", 4)),   // probes
        std::pair(size_t{1}, std::string("\0\x06", 2))}) {  // reserved
    std::string changed = block;
    changed.replace(block.size() - 5 + at, bytes.size(), bytes);
    EXPECT_TRUE(MatchesAll(NewReader(*built_in_, changed).get(), strangers_));
  }
}

// Whatever is cut off, no key is ever denied.
TEST_F(FilterBitsReaderTest, TruncatedBlocksMatchAll) {
  const std::vector<std::string> few = NumberedKeys("key", 200);
  const std::string block = BuildBlock(*policy_, few);
  for (size_t size = 1; size < block.size(); ++size) {
    const std::string cut = block.substr(0, size);
    EXPECT_TRUE(MatchesAll(NewReader(*policy_, cut).get(), few)) << size;
  }
}

// RocksDB's cache may destroy readers after the policy.
TEST_F(FilterBitsReaderTest, OfCanonicalKeysOutlivesItsPolicy) {
  auto policy = MakePolicy({.canonical_key = std::make_shared<LowerCase>()});
  const std::string block = BuildBlock(*policy, keys_);
  const auto reader = NewReader(*policy, block);
  const auto builder = NewBuilder(*policy);
  policy.reset();
  EXPECT_TRUE(reader->MayMatch("KEY7"));
  builder->AddKey("Key");
  EXPECT_FALSE(FinishToString(builder.get()).empty());
}

// A million keys: the rate is below the project's own limit, about half of
// RocksDB's 0.97 %, and the block predicts it within 5 %.
TEST_F(FilterBitsReaderTest, FalsePositiveRateAt10BitsPerKey) {
  const std::string block = BuildBlock(*policy_, NumberedKeys("key", 1000000));
  const auto reader = NewReader(*policy_, block);
  constexpr int kStrangers = 2'000'000;
  int matches = 0;
  for (int i = 0; i < kStrangers; ++i) {
    matches += reader->MayMatch("no" + std::to_string(i));
  }
  const double measured = 1.0 * matches / kStrangers;
  EXPECT_LE(measured, 0.0018);
  EXPECT_NEAR(1, InfoOf(block).expected_false_positive_rate / measured, 0.05);
}

}  // namespace
}  // namespace linebloom
