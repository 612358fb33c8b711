#include "filter_policy/filter/filter_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/line_count_search.h"
#include "filter_policy/sizing/sizing.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

constexpr Line kLines[] = {Line::kPlain, Line::kSolved};

FilterReader ReaderOf(const FilterBlock& block) {
  return FilterReader::Make(block.bytes.get(),
                            ParseFilter(block.bytes.get(), block.size))
      .value();
}

FilterBlockInfo InfoOf(const FilterBlock& block) {
  return ParseFilter(block.bytes.get(), block.size).info;
}

TEST(FilterBuilderTest, NoKeysMakeAnEmptyBlock) {
  EXPECT_EQ(0u, BuildFilter(HashList(), {}).size);
}

// Nor do the bytes depend on the order of the keys.
TEST(FilterBuilderTest, NeverDeniesAKey) {
  for (const Line line : kLines) {
    for (const uint32_t millibits : {1000u, 3500u, 10000u, 17300u, 30000u}) {
      for (const size_t keys : {1, 2, 3, 50, 51, 52, 500, 5000}) {
        std::vector<uint64_t> hashes = RandomHashes(keys, keys);
        const FilterBlock block =
            BuildFilter(HashList(hashes), {millibits, line, 0});
        const FilterReader reader = ReaderOf(block);
        for (const uint64_t hash : hashes) ASSERT_TRUE(reader.MayMatch(hash));
        std::reverse(hashes.begin(), hashes.end());
        const FilterBlock other =
            BuildFilter(HashList(hashes), {millibits, line, 0});
        EXPECT_EQ(std::string_view(block.bytes.get(), block.size),
                  std::string_view(other.bytes.get(), other.size));
      }
    }
  }
}

TEST(FilterBuilderTest, RepeatedAndSkewedHashesAreFound) {
  std::vector<uint64_t> hashes(5000, 0x123456789abcdef0);
  for (int i = 0; i < 1000; ++i) hashes.push_back(i);
  const FilterBlock block = BuildFilter(HashList(hashes), {});
  const FilterReader reader = ReaderOf(block);
  for (const uint64_t hash : hashes) ASSERT_TRUE(reader.MayMatch(hash));
}

TEST(FilterBuilderTest, MetadataSaysWhatWasBuilt) {
  std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  const FilterBlock block =
      BuildFilter(HashList(hashes), {12500, Line::kPlain, 99});
  const ParsedFilter parsed = ParseFilter(block.bytes.get(), block.size);
  ASSERT_EQ(BlockKind::kLinebloom, parsed.kind);
  EXPECT_EQ(10000u, parsed.info.keys);
  EXPECT_EQ(12500u, parsed.info.request.millibits_per_key);
  EXPECT_EQ(99u, parsed.info.request.hash_seed);
  EXPECT_EQ(Line::kPlain, parsed.info.request.line);
  EXPECT_EQ(245u, parsed.info.lines);  // 125,000 bits / 512, rounded up
  EXPECT_EQ(245 * 64 + kFilterBlockOverhead + 8, block.size);
}

// A million keys, 48,000 of which were chosen to share a few lines: 0.15 % of
// all lines, however many there are.
std::vector<uint64_t> PoisonedHashes() {
  std::vector<uint64_t> hashes = RandomHashes(1000000, 4);
  for (size_t i = 0; i < 48000; ++i) {
    hashes[i] = static_cast<uint64_t>(static_cast<double>(hashes[i]) * 0.0015);
  }
  return hashes;
}

// The number of lines that BuildFilter arrives at, and how many builds it
// takes.
struct Search {
  uint32_t lines = 0;
  int builds = 0;
};

Search SearchLines(const HashList& hashes, const FilterRequest& settings) {
  LineCountSearch search(LinesFor(hashes.size(), settings.millibits_per_key),
                         hashes.size(), settings.false_positive_rate,
                         LogRatePerBit(settings.line));
  Search found;
  while (const auto count = search.Next()) {
    ++found.builds;
    FilterRequest of_bits = settings;
    of_bits.false_positive_rate = 0;
    of_bits.millibits_per_key = MillibitsFor(*count, hashes.size());
    if (search.Judge(InfoOf(BuildFilter(hashes, of_bits))
                         .expected_false_positive_rate)) {
      found.lines = *count;
    }
  }
  return found;
}

// Attackers control neither the time nor the memory of a filter for a rate.
TEST(FilterBuilderTest, PoisonedKeysDoNotCostMore) {
  const HashList hashes(PoisonedHashes());
  for (const Line line : kLines) {
    FilterRequest settings;
    settings.line = line;
    settings.false_positive_rate = 0.001;
    settings.millibits_per_key =
        BitsForRate(line, settings.false_positive_rate * LineCountSearch::kAim)
            .value();
    const FilterBlockInfo info = InfoOf(BuildFilter(hashes, settings));
    const uint32_t honest = LinesFor(hashes.size(), settings.millibits_per_key);
    EXPECT_GE(info.lines, honest);
    EXPECT_LE(info.lines, honest * 13 / 10);
    // Stores the rate that it reached next to the requested one.
    EXPECT_FLOAT_EQ(0.001F, info.request.false_positive_rate);
    EXPECT_GT(info.expected_false_positive_rate, 0.001F);
    EXPECT_LT(info.expected_false_positive_rate, 0.004F);
    const Search search = SearchLines(hashes, settings);
    EXPECT_LE(search.builds, 2);
    EXPECT_NEAR(info.lines, search.lines, 1);
  }
}

}  // namespace
}  // namespace linebloom
