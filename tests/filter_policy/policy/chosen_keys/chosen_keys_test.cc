// Keys that an attacker chose: how many of them a filter lets through, beside
// what it lets through of keys that nobody chose. SECURITY.md has the table
// that this prints.
//
// Left out is a replay: a key that passed a file passes it again until the file
// is written anew. That is what a filter is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/filter_policy/policy/chosen_keys/swap_attack.h"
#include "tests/filter_policy/policy/chosen_keys/victim.h"

namespace linebloom {
namespace {

constexpr uint64_t kSeed = 0x9c1d5f02b7e8a346;
constexpr uint64_t kOtherSeed = 0x3fa85f6457174562;

// At 0.15 % the share that passes is then sure to 1.8 %.
constexpr size_t kKeys = 2'000'000;

// All that a seed promises: its share of chosen keys at most this many times
// the expected rate.
constexpr double kMostRatio = 1.1;

std::vector<ChosenKey> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ChosenKey> keys(count);
  for (ChosenKey& key : keys) {
    for (uint64_t& word : key) word = random();
  }
  return keys;
}

std::vector<ChosenKey> SwappedKeys(const std::vector<ChosenKey>& keys,
                                   uint64_t difference) {
  std::vector<ChosenKey> swapped;
  swapped.reserve(keys.size());
  for (const ChosenKey& key : keys) {
    swapped.push_back(Swapped(key, difference));
  }
  return swapped;
}

std::vector<ChosenKey> Passing(const Victim& victim,
                               const std::vector<ChosenKey>& keys) {
  std::vector<ChosenKey> passing;
  for (const ChosenKey& key : keys) {
    if (victim.MayMatch(key)) passing.push_back(key);
  }
  return passing;
}

// How many times the expected rate passes of `keys`, none of which is in the
// file.
double RatioOf(const std::string& list, const Victim& victim,
               const std::vector<ChosenKey>& keys) {
  const size_t passed = Passing(victim, keys).size();
  const double share =
      static_cast<double>(passed) / static_cast<double>(keys.size());
  printf("| %s | %zu | %zu | %.3f %% | %.3f %% | %.2f |\n", list.c_str(),
         keys.size(), passed, 100 * share, 100 * victim.ExpectedRate(),
         share / victim.ExpectedRate());
  return share / victim.ExpectedRate();
}

std::string NameOf(uint64_t hash_seed) {
  if (hash_seed == 0) return "no seed";
  return hash_seed == kRandomHashSeed ? "`hash_seed=random`" : "a secret seed";
}

class ChosenKeysTest : public testing::TestWithParam<uint64_t> {
 protected:
  double Ratio(const std::string& list, const Victim& victim,
               const std::vector<ChosenKey>& keys) {
    return RatioOf(NameOf(GetParam()) + " | " + list, victim, keys);
  }
};

INSTANTIATE_TEST_SUITE_P(, ChosenKeysTest,
                         testing::Values(kSeed, kRandomHashSeed));

// Made beforehand for filters without a seed, or for another one.
TEST_P(ChosenKeysTest, FixedLists) {
  const auto victim = NewVictim(GetParam());
  const std::vector<ChosenKey> keys = RandomKeys(kKeys, 1);
  victim->Write(keys);
  EXPECT_LE(Ratio("made for filters without a seed", *victim,
                  SwappedKeys(keys, SwapDifference(0))),
            kMostRatio);
  EXPECT_LE(Ratio("made for another seed", *victim,
                  SwappedKeys(keys, SwapDifference(kOtherSeed))),
            kMostRatio);
}

// Without a seed such lists do pass, so the tests above can fail.
TEST(ChosenKeysWithoutASeedTest, AListMadeBeforehandPasses) {
  const auto victim = NewVictim(0);
  const std::vector<ChosenKey> keys = RandomKeys(100'000, 1);
  victim->Write(keys);
  EXPECT_GT(RatioOf("no seed | made beforehand", *victim,
                    SwappedKeys(keys, SwapDifference(0))),
            600);
}

std::string CostOf(const SwapAttack& attack) {
  return "swapped, after " + std::to_string(attack.inserts) + " inserts and " +
         std::to_string(attack.lookups) + " lookups";
}

// The attack works, so the tests below can fail: XXH3 with its own seed.
TEST(ChosenKeysXxh3SeedTest, ItsSeedIsRecoveredFromAnswers) {
  const auto victim = NewXxh3SeedVictim(kSeed);
  const SwapAttack attack = RunSwapAttack(victim.get());
  EXPECT_EQ(attack.difference, SwapDifference(kSeed));
  const std::vector<ChosenKey> keys = RandomKeys(100'000, 1);
  victim->Write(keys);
  const std::vector<ChosenKey> chosen = SwappedKeys(keys, attack.difference);
  RatioOf("XXH3 with that seed | " + CostOf(attack), *victim, chosen);
  EXPECT_EQ(Passing(*victim, chosen).size(), chosen.size());
  RatioOf("XXH3 with that seed | made for filters without a seed", *victim,
          SwappedKeys(keys, SwapDifference(0)));
}

TEST_P(ChosenKeysTest, SwappedByWhatAnswersSay) {
  const auto victim = NewVictim(GetParam());
  const SwapAttack attack = RunSwapAttack(victim.get());
  const std::vector<ChosenKey> keys = RandomKeys(kKeys, 1);
  victim->Write(keys);
  EXPECT_LE(
      Ratio(CostOf(attack), *victim, SwappedKeys(keys, attack.difference)),
      kMostRatio);
}

// About `count` different keys, each of which differs from one of `from` in two
// bits; in random order.
std::vector<ChosenKey> Neighbours(const std::vector<ChosenKey>& from,
                                  size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ChosenKey> neighbours;
  neighbours.reserve(count);
  while (neighbours.size() < count) {
    ChosenKey key = from[random() % from.size()];
    const uint64_t word = random() % 4;
    key[word] ^= uint64_t{1} << (random() % 64);
    key[(word + 1) % 4] ^= uint64_t{1} << (random() % 64);
    neighbours.push_back(key);
  }
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()),
                   neighbours.end());
  std::shuffle(neighbours.begin(), neighbours.end(), random);
  return neighbours;
}

// New keys from those that were seen to pass.
TEST_P(ChosenKeysTest, NeighboursOfKeysThatPassed) {
  const auto victim = NewVictim(GetParam());
  victim->Write(RandomKeys(kKeys, 1));
  const std::vector<ChosenKey> passing = Passing(*victim, RandomKeys(kKeys, 2));
  ASSERT_GT(passing.size(), 1000u);
  EXPECT_LE(Ratio("neighbours of keys that passed", *victim,
                  Neighbours(passing, kKeys, 3)),
            kMostRatio);
}

// Would-be neighbours in hash, inserted to crowd the lines of the keys that
// passed.
TEST_P(ChosenKeysTest, NeighboursInsertedToo) {
  const auto victim = NewVictim(GetParam());
  std::vector<ChosenKey> keys = RandomKeys(kKeys, 1);
  victim->Write(keys);
  std::vector<ChosenKey> passing = Passing(*victim, RandomKeys(kKeys, 2));
  passing.resize(1000);
  const std::vector<ChosenKey> neighbours =
      Neighbours(passing, 3 * kKeys / 2, 3);
  const auto asked = neighbours.begin() + kKeys / 2;
  keys.insert(keys.end(), neighbours.begin(), asked);
  victim->Write(keys);
  EXPECT_LE(Ratio("neighbours, others of which were inserted", *victim,
                  {asked, neighbours.end()}),
            kMostRatio);
}

// For a file with the same keys: a replica's, or a rewritten one.
double RatioInAnotherFile(uint64_t hash_seed, const std::string& list) {
  const auto victim = NewVictim(hash_seed, /*bits_per_key=*/4);
  const std::vector<ChosenKey> keys = RandomKeys(kKeys, 1);
  victim->Write(keys);
  const std::vector<ChosenKey> passing =
      Passing(*victim, RandomKeys(2 * kKeys, 2));
  victim->Write(keys);
  return RatioOf(NameOf(hash_seed) + " | " + list, *victim, passing);
}

TEST(ChosenKeysInAnotherFileTest, RandomSeedsLetThemPassNoMoreThanOthers) {
  EXPECT_LE(RatioInAnotherFile(kRandomHashSeed,
                               "passed another file of the same keys"),
            kMostRatio);
}

TEST(ChosenKeysInAnotherFileTest, OneSeedForAllFilesLetsThemPassAgain) {
  EXPECT_GT(RatioInAnotherFile(kSeed, "passed another file of the same keys"),
            5);
}

}  // namespace
}  // namespace linebloom
