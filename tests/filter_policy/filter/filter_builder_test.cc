#include "filter_policy/filter/filter_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

// Nor do the bytes depend on the order of the keys.
TEST(FilterBuilderTest, NeverDeniesAKey) {
  for (const LineKind line : {LineKind::kPlain, LineKind::kSolved}) {
    for (const uint32_t millibits : {1000u, 3500u, 10000u, 17300u, 30000u}) {
      for (const size_t keys : {1, 2, 3, 50, 51, 52, 500, 5000}) {
        std::vector<uint64_t> hashes = RandomHashes(keys, keys);
        const FilterBlock block =
            BuildFilter(ListOf(hashes), {millibits, line, 0});
        const auto reader = FilterReader::Make(
            block.bytes.get(), ParseFilter(block.bytes.get(), block.size));
        for (const uint64_t hash : hashes) ASSERT_TRUE(reader->MayMatch(hash));
        std::reverse(hashes.begin(), hashes.end());
        const FilterBlock other =
            BuildFilter(ListOf(hashes), {millibits, line, 0});
        EXPECT_EQ(std::string_view(block.bytes.get(), block.size),
                  std::string_view(other.bytes.get(), other.size));
      }
    }
  }
}

}  // namespace
}  // namespace linebloom
