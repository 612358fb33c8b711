#include "filter_policy/line/builder/line_search.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

int BitsSet(const LineBits& bits) {
  int count = 0;
  for (const uint64_t word : bits) count += std::popcount(word);
  return count;
}

// The mean number of bits that lines of 51 keys have set.
double MeanBitsSet(const SearchPlan& plan) {
  constexpr int kLines = 200;
  LineSearch search(plan);
  double sum = 0;
  for (int i = 0; i < kLines; ++i) {
    sum += BitsSet(search.Find(RandomHashes(51, i), 8).bits);
  }
  return sum / kLines;
}

// Bits of a group's pattern, computed from the definitions alone.
LineBits PatternOf(uint64_t hash, uint32_t seed, int rotation_bits,
                   int probes) {
  LineBits bits{};
  const uint64_t first = FirstRound(hash, SeedBase(seed, rotation_bits));
  const uint64_t second = SecondRound(first);
  for (int i = 0; i < probes; ++i) {
    const int word = (GroupAndWindowOf(hash).window + i) % kSearchedWords;
    const uint64_t round = i < kSearchedWords ? first : second;
    bits[word] |= uint64_t{1} << ((BitInWord(round, word + 1) +
                                   SeedRotation(seed, rotation_bits)) &
                                  63);
  }
  return bits;
}

TEST(LineSearchTest, FoundBitsAreThePatternsOfTheFoundSeeds) {
  for (const int rotation_bits : {0, 1, 3, 6}) {
    LineSearch search({.rotation_bits = static_cast<uint8_t>(rotation_bits),
                       .beam = 2,
                       .rounds = 1});
    for (const int probes : {1, 6, 7, 8, 14}) {
      const std::vector<uint64_t> hashes = RandomHashes(60, probes);
      const FoundLine found = search.Find(hashes, probes);
      LineBits expected{};
      for (const uint64_t hash : hashes) {
        const uint8_t seed = found.seeds[GroupAndWindowOf(hash).group];
        const LineBits pattern = PatternOf(hash, seed, rotation_bits, probes);
        for (int w = 0; w < kSearchedWords; ++w) expected[w] |= pattern[w];
      }
      EXPECT_EQ(expected, found.bits)
          << "rotation bits " << rotation_bits << ", probes " << probes;
    }
  }
}

// One group of keys alone: the search must find its best seed of all 64.
TEST(LineSearchTest, FindsTheBestSeedOfASingleGroup) {
  std::vector<uint64_t> hashes;
  for (const uint64_t hash : RandomHashes(200, 9)) {
    if (GroupAndWindowOf(hash).group == 4) hashes.push_back(hash);
  }
  ASSERT_GT(hashes.size(), 5u);
  int fewest = 1000;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    LineBits bits{};
    for (const uint64_t hash : hashes) {
      const LineBits pattern = PatternOf(hash, seed, 2, 7);
      for (int w = 0; w < kSearchedWords; ++w) bits[w] |= pattern[w];
    }
    fewest = std::min(fewest, BitsSet(bits));
  }
  LineSearch search({.rotation_bits = 2, .beam = 1, .rounds = 0});
  EXPECT_EQ(fewest, BitsSet(search.Find(hashes, 7).bits));
}

TEST(LineSearchTest, MoreSearchSetsFewerBits) {
  const double one = MeanBitsSet({.rotation_bits = 3, .beam = 1, .rounds = 0});
  const double again =
      MeanBitsSet({.rotation_bits = 3, .beam = 1, .rounds = 1});
  const double wide = MeanBitsSet({.rotation_bits = 3, .beam = 8, .rounds = 1});
  const double independent =
      MeanBitsSet({.rotation_bits = 0, .beam = 8, .rounds = 1});
  EXPECT_LT(again, one);
  EXPECT_LT(wide, again);
  EXPECT_LT(independent, wide);
  // Without search 51 keys with 8 probes set 60 % of 448 bits.
  EXPECT_LT(one, 0.56 * 448);
}

TEST(LineSearchTest, RemembersNothingOfTheLineBefore) {
  LineSearch used({.rotation_bits = 3, .beam = 2, .rounds = 1});
  used.Find(RandomHashes(500, 1), 3);
  LineSearch fresh({.rotation_bits = 3, .beam = 2, .rounds = 1});
  const std::vector<uint64_t> hashes = RandomHashes(50, 2);
  EXPECT_EQ(fresh.Find(hashes, 8).bits, used.Find(hashes, 8).bits);
}

}  // namespace
}  // namespace linebloom
