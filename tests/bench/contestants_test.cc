#include "bench/contestants/contestants.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

std::string KeyOf(uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::vector<std::string> NumbersFrom(uint64_t first, size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(KeyOf(first + i));
  return keys;
}

class ContestantTest : public ::testing::TestWithParam<Contestant> {
 protected:
  void ExpectNoKeyLost(const std::vector<std::string>& keys) {
    const OwnedPolicy policy(GetParam().new_policy());
    const std::string block = BuildBlock(*policy, keys);
    EXPECT_EQ(CountMatches(NewReader(*policy, block).get(), keys), keys.size());
  }
};

TEST_P(ContestantTest, LosesNoKeyForAnyNumberOfKeys) {
  for (size_t count = 0; count < 1000000;
       count += count < 300 ? 1 : count / 3) {
    ExpectNoKeyLost(NumbersFrom(count << 32, count));
  }
}

TEST_P(ContestantTest, LosesNoKeyWhenKeysRepeat) {
  std::vector<std::string> keys = NumbersFrom(0, 1000);
  keys.insert(keys.end(), 1000, KeyOf(7));
  ExpectNoKeyLost(keys);
  ExpectNoKeyLost(std::vector<std::string>(1000, KeyOf(7)));
}

TEST_P(ContestantTest, AnswersBatchesLikeSingleProbes) {
  const OwnedPolicy policy(GetParam().new_policy());
  const std::string block = BuildBlock(*policy, NumbersFrom(0, 10000));
  const auto reader = NewReader(*policy, block);
  for (uint64_t first = 9900; first < 12000; first += 32) {
    const std::vector<std::string> keys = NumbersFrom(first, 32);
    const std::vector<bool> batch = MatchBatch(reader.get(), keys);
    for (size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(batch[i], reader->MayMatch(keys[i])) << first + i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ContestantTest,
                         ::testing::ValuesIn(Contestants()),
                         [](const auto& param_info) {
                           std::string name = param_info.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Bits per key and false positives among two million, according to theory.
struct Expectation {
  std::string name;
  double bits_per_key;
  double rate;
};

class RateTest : public ::testing::TestWithParam<Expectation> {};

TEST_P(RateTest, HasTheSizeAndRateOfThePaper) {
  constexpr size_t kKeys = 1000000;
  constexpr size_t kAsked = 2000000;
  const OwnedPolicy policy(FindContestant(GetParam().name)->new_policy());
  const std::string block = BuildBlock(*policy, NumbersFrom(0, kKeys));
  const int matches =
      CountMatches(NewReader(*policy, block).get(), NumbersFrom(kKeys, kAsked));
  EXPECT_NEAR(8.0 * static_cast<double>(block.size()) / kKeys,
              GetParam().bits_per_key, 0.01 * GetParam().bits_per_key);
  const double expected = GetParam().rate * kAsked;
  const double sigmas_5 = 5 * std::sqrt(expected);
  EXPECT_THAT(matches, AllOf(Ge(expected - sigmas_5), Le(expected + sigmas_5)));
}

// A cuckoo filter compares each key with the 4 fingerprints of 2 buckets, 95 %
// of which exist.
INSTANTIATE_TEST_SUITE_P(
    All, RateTest,
    ::testing::Values(Expectation{"binary-fuse-3x8", 1.125 * 8, 1 / 256.0},
                      Expectation{"binary-fuse-4x8", 1.075 * 8, 1 / 256.0},
                      Expectation{"binary-fuse-4x16", 1.075 * 16, 1 / 65536.0},
                      Expectation{"cuckoo-10", 10 / .95, 8 * .95 / 1023},
                      Expectation{"cuckoo-12", 12 / .95, 8 * .95 / 4095}));

}  // namespace
}  // namespace linebloom
