#include "filter_policy/policy/filter_bits_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "filter_policy/line/hash.h"
#include "filter_policy/policy/policy_options.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

class FilterBitsBuilderTest : public testing::Test {
 protected:
  bool MayMatch(const std::string& block, const std::string& key) {
    return NewReader(*policy_, block)->MayMatch(key);
  }

  static std::string Build(LineFilterBitsBuilder* builder, int keys) {
    for (const auto& key : NumberedKeys("key", keys)) builder->AddKey(key);
    return FinishToString(builder);
  }

  // The adapter's own class: it has AddKeyAndAlt and the planning functions in
  // every version, even if RocksDB's interface lacks them.
  LineFilterBitsBuilder builder_{{}, nullptr, /*detect_corruption=*/false};
  const OwnedPolicy policy_ = MakePolicy();
};

// RocksDB's comment on AddKeyAndAlt, case by case.
TEST_F(FilterBitsBuilderTest, DropsRepeatsOfKeysAndAlternatives) {
  struct Case {
    const char* key;
    const char* alternative;  // null: AddKey
    size_t entries;           // from then on
  };
  for (const auto& [key, alternative, entries] : {
           Case{"k1", nullptr, 1},
           Case{"k1", nullptr, 1},                    // the last key again
           Case{"k1", "k1", 1}, Case{"k2", "a2", 3},  // both new
           Case{"k3", "a2", 4},                       // the alternative again
           Case{"a2", "a4", 5},  // the key is the last alternative
           Case{"k5", "a2", 6},  // the alternative is the last key
           Case{"k5", nullptr, 6}, Case{"k6", nullptr, 7},
           Case{"k5", nullptr, 8},  // not the last key
       }) {
    if (alternative == nullptr) {
      builder_.AddKey(key);
    } else {
      builder_.AddKeyAndAlt(key, alternative);
    }
    EXPECT_EQ(entries, builder_.EstimateEntriesAdded());
  }
}

TEST_F(FilterBitsBuilderTest, KeysWithTheSameCanonicalBytesCountOnce) {
  const auto lower_case = std::make_shared<LowerCase>();
  EXPECT_EQ(HashUnseeded("ascii_lower_case", 16), CanonicalId(*lower_case));
  LineFilterBitsBuilder builder({}, nullptr, /*detect_corruption=*/false,
                                lower_case);
  for (const char* key : {"a", "A", "b", "B", "B"}) builder.AddKey(key);
  EXPECT_EQ(2u, builder.EstimateEntriesAdded());
}

// If the first key of a partition repeats the last one of the previous
// partition, it must be in both.
TEST_F(FilterBitsBuilderTest, FinishStartsOverAndWithoutKeysABlockHasATail) {
  builder_.AddKeyAndAlt("key", "prefix");
  const std::string first = FinishToString(&builder_);
  EXPECT_EQ(0u, builder_.EstimateEntriesAdded());
  builder_.AddKeyAndAlt("key", "prefix");
  EXPECT_EQ(2u, builder_.EstimateEntriesAdded());
  const std::string second = FinishToString(&builder_);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(MayMatch(second, "key"));
  EXPECT_TRUE(MayMatch(second, "prefix"));
  // RocksDB loses the rows of a partition of 0 bytes.
  EXPECT_EQ(std::string("\xff\0\6\0", 5), FinishToString(&builder_));
  EXPECT_FALSE(MayMatch("", "key"));
}

TEST_F(FilterBitsBuilderTest, RoundingCountsTheWholeBlock) {
  const auto rounding = std::make_shared<AllocationRounding>(
      [](size_t bytes) { return std::bit_ceil(bytes); });
  LineFilterBitsBuilder builder({}, rounding, /*detect_corruption=*/false);
  for (int count = 1000; count < 9000; count += 1000) {
    for (const auto& key : NumberedKeys("key", count)) builder.AddKey(key);
    const size_t size = FinishToString(&builder).size() + 5;  // with a trailer
    EXPECT_LE(std::bit_ceil(size) - size, std::max<size_t>(130, size / 30));
  }
}

TEST_F(FilterBitsBuilderTest, PlanningIsExactToALine) {
  for (const size_t bytes : {0, 54, 118, 119, 1000, 4096, 65536, 1000000}) {
    const size_t entries = builder_.ApproximateNumEntries(bytes);
    EXPECT_LE(builder_.CalculateSpace(entries), std::max<size_t>(bytes, 5));
    EXPECT_GT(builder_.CalculateSpace(entries + 1), bytes);
  }
  for (const int keys : {0, 1, 51, 52, 1000, 4321}) {
    const std::string block = Build(&builder_, keys);
    EXPECT_EQ(builder_.CalculateSpace(keys), block.size());
    if (keys < 1000) continue;
    EXPECT_NEAR(1,
                builder_.EstimatedFpRate(keys, block.size()) /
                    InfoOf(block).expected_false_positive_rate,
                0.1);
  }
  EXPECT_EQ(0.0, builder_.EstimatedFpRate(0, 1000));
  EXPECT_EQ(1.0, builder_.EstimatedFpRate(1000, 10));
}

TEST_F(FilterBitsBuilderTest, VerifiesEachBlockIfRequested) {
  EXPECT_TRUE(builder_.MaybePostVerify("any bytes").ok());
  LineFilterBitsBuilder builder({}, nullptr, /*detect_corruption=*/true);
  const std::string intact = Build(&builder, 1000);
  EXPECT_TRUE(builder.MaybePostVerify(intact).ok());
  // Bits of the second line, except in the bytes that hold its header.
  std::string block = Build(&builder, 1000);
  for (size_t at = 64; at < 128; ++at) {
    if (at % 8 != 7) block[at] = static_cast<char>(block[at] ^ 0x5a);
  }
  EXPECT_TRUE(builder.MaybePostVerify(block).IsCorruption());
  block = Build(&builder, 1000);
  block[block.size() - 30] ^= 1;  // metadata
  EXPECT_TRUE(builder.MaybePostVerify(block).IsCorruption());
  // The next partition's block is another one.
  builder.AddKey("another");
  FinishToString(&builder);
  EXPECT_TRUE(builder.MaybePostVerify(intact).IsCorruption());
}

}  // namespace
}  // namespace linebloom
