#include "filter_policy/hash_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

void ExpectSortsLikeStd(std::vector<uint64_t> hashes) {
  std::vector<uint64_t> expected = hashes;
  std::sort(expected.begin(), expected.end());
  SortHashes(hashes);
  EXPECT_EQ(expected, hashes);
}

TEST(SortHashesTest, RandomHashesOfManySizes) {
  for (const size_t count : {0, 1, 2, 95, 96, 97, 255, 1000, 30000, 300000}) {
    ExpectSortsLikeStd(RandomHashes(count, count));
  }
}

TEST(SortHashesTest, EqualHashes) {
  ExpectSortsLikeStd(std::vector<uint64_t>(1000, 42));
}

TEST(SortHashesTest, HashesThatShareTheirTopBytes) {
  std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  for (uint64_t& hash : hashes) hash = hash >> 48 | uint64_t{0xab} << 56;
  ExpectSortsLikeStd(hashes);
}

TEST(SortHashesTest, SortedAndReversed) {
  std::vector<uint64_t> hashes = RandomHashes(5000, 2);
  std::sort(hashes.begin(), hashes.end());
  ExpectSortsLikeStd(hashes);
  std::reverse(hashes.begin(), hashes.end());
  ExpectSortsLikeStd(hashes);
}

}  // namespace
}  // namespace linebloom
