#include "filter_policy/filter/hash_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "filter_policy/line/line.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

// Each line gets its own hashes, and together exactly those of the list.
void ExpectEachHashInItsLine(std::vector<uint64_t> hashes, uint32_t lines) {
  SCOPED_TRACE(testing::Message()
               << hashes.size() << " hashes, " << lines << " lines");
  const HashList list = ListOf(hashes);
  LinePartition partition(list, lines);
  std::vector<uint64_t> seen;
  for (uint32_t first = 0; first < lines; first += kLinesPerGroup) {
    const LinePartition::Group& group = partition.Next();
    for (uint32_t i = 0; i < kLinesPerGroup; ++i) {
      for (const uint64_t hash : group.lines[i]) {
        ASSERT_EQ(first + i, BalancedLineOf(hash, lines, group.code));
        seen.push_back(hash);
      }
    }
    if (first + kLinesPerGroup > lines) {
      EXPECT_EQ(0, group.code);
    }
  }
  std::sort(hashes.begin(), hashes.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(hashes, seen);
}

TEST(LinePartitionTest, AnyHashesAndLines) {
  for (const size_t count : {1, 2, 50, 5000, 32768, 32769, 200000}) {
    for (const uint32_t lines : {1u, 3u, 100u, 255u, 256u, 257u, 300000u}) {
      ExpectEachHashInItsLine(RandomHashes(count, count), lines);
      std::vector<uint64_t> ends(count, 0);
      ends.resize(2 * count, UINT64_MAX);
      ExpectEachHashInItsLine(ends, lines);
    }
  }
}

}  // namespace
}  // namespace linebloom
