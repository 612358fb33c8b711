#include "bench/contestants/contestants.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

std::string KeyOf(uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::vector<std::string> NumbersFrom(uint64_t first, size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(KeyOf(first + i));
  return keys;
}

class ContestantTest : public ::testing::TestWithParam<Contestant> {};

// Nor one of many that repeat.
TEST_P(ContestantTest, LosesNoKeyForAnyNumberOfKeys) {
  const OwnedPolicy policy(GetParam().new_policy());
  for (size_t count = 0; count < 1000000;
       count += count < 300 ? 1 : count / 3) {
    std::vector<std::string> keys = NumbersFrom(count << 32, count);
    for (const size_t repeats : {0, 1000}) {
      keys.insert(keys.end(), repeats, KeyOf(count << 32));
      const std::string block = BuildBlock(*policy, keys);
      EXPECT_EQ(CountMatches(NewReader(*policy, block).get(), keys),
                keys.size());
    }
  }
}

TEST_P(ContestantTest, AnswersBatchesLikeSingleProbes) {
  const OwnedPolicy policy(GetParam().new_policy());
  const std::string block = BuildBlock(*policy, NumbersFrom(0, 10000));
  const auto reader = NewReader(*policy, block);
  const std::vector<std::string> keys = NumbersFrom(9900, 2100);
  const std::vector<bool> matches = MatchInBatches(reader.get(), keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(matches[i], reader->MayMatch(keys[i])) << 9900 + i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ContestantTest,
                         ::testing::ValuesIn(Contestants()),
                         [](const auto& param_info) {
                           std::string name = param_info.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(RateTest, HasTheSizeAndRateOfThePaper) {
  constexpr size_t kKeys = 1000000;
  constexpr size_t kMissing = 2000000;
  struct Case {
    const char* name;
    double bits_per_key;
    double rate;
  };
  // A cuckoo filter compares each key with the 4 fingerprints of 2 buckets, 95
  // % of which exist.
  for (const auto& [name, bits_per_key, rate] :
       {Case{"binary-fuse-3x8", 1.125 * 8, 1 / 256.0},
        Case{"binary-fuse-4x8", 1.075 * 8, 1 / 256.0},
        Case{"binary-fuse-4x16", 1.075 * 16, 1 / 65536.0},
        Case{"cuckoo-10", 10 / .95, 8 * .95 / 1023},
        Case{"cuckoo-12", 12 / .95, 8 * .95 / 4095}}) {
    SCOPED_TRACE(name);
    const OwnedPolicy policy(FindContestant(name)->new_policy());
    const std::string block = BuildBlock(*policy, NumbersFrom(0, kKeys));
    EXPECT_NEAR(8.0 * static_cast<double>(block.size()) / kKeys, bits_per_key,
                0.01 * bits_per_key);
    const double expected = rate * kMissing;
    EXPECT_NEAR(CountMatches(NewReader(*policy, block).get(),
                             NumbersFrom(kKeys, kMissing)),
                expected, 5 * std::sqrt(expected));
  }
}

}  // namespace
}  // namespace linebloom
