#include "filter_policy/filter/filter_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
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
  Search found;
  uint32_t built = 0;
  SearchLineCount(
      LinesFor(hashes.size(), settings.millibits_per_key), hashes.size(),
      settings.false_positive_rate, LogRatePerBit(settings.line),
      [&](uint32_t count) {
        ++found.builds;
        built = count;
        FilterRequest of_bits = settings;
        of_bits.false_positive_rate = 0;
        of_bits.millibits_per_key = MillibitsFor(count, hashes.size());
        return InfoOf(BuildFilter(hashes, of_bits))
            .expected_false_positive_rate;
      },
      [&] { found.lines = built; });
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
        BitsForRate(line, settings.false_positive_rate * kAimOfSearch).value();
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

TEST(FilterBuilderTest, KeysThatCrowdIntoFewLinesEndTheSearch) {
  for (const size_t keys : {100, 5000, 65536, 65537}) {
    std::vector<uint64_t> hashes = RandomHashes(keys, keys);
    for (uint64_t& hash : hashes) hash >>= 8;
    FilterRequest settings;
    settings.false_positive_rate = 0.01;
    settings.millibits_per_key = 8030;
    const Search search = SearchLines(HashList(hashes), settings);
    EXPECT_LE(search.builds, keys <= 65536 ? 8 : 2);
    const uint32_t honest = LinesFor(keys, 8030);
    EXPECT_GT(search.lines, 0);
    EXPECT_LE(search.lines, std::max(honest + 2.0, 1.3 * honest));
  }
}

}  // namespace
}  // namespace linebloom
