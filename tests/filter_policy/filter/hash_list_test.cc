#include "filter_policy/filter/hash_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

std::vector<uint64_t> Sorted(std::vector<uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

std::vector<uint64_t> HashesIn(const HashList& list, size_t bucket) {
  std::vector<uint64_t> hashes;
  list.VisitBucket(bucket, [&](std::span<const uint64_t> chunk) {
    hashes.insert(hashes.end(), chunk.begin(), chunk.end());
  });
  return hashes;
}

std::vector<uint64_t> AllHashesIn(const HashList& list) {
  std::vector<uint64_t> hashes;
  list.VisitAll([&](std::span<const uint64_t> chunk) {
    hashes.insert(hashes.end(), chunk.begin(), chunk.end());
  });
  return hashes;
}

TEST(HashListTest, HoldsWhatWasAdded) {
  for (const size_t count :
       {size_t{0}, size_t{1}, size_t{1000}, HashList::kFew - 1, HashList::kFew,
        HashList::kFew + 1, 4 * HashList::kFew}) {
    const std::vector<uint64_t> hashes = RandomHashes(count, count);
    const HashList list(hashes);
    EXPECT_EQ(count, list.size());
    EXPECT_EQ(count == 0, list.empty());
    EXPECT_EQ(Sorted(hashes), Sorted(AllHashesIn(list)));
  }
}

TEST(HashListTest, ManyHashesAreInBucketsByTheirTopBits) {
  EXPECT_EQ(1u, HashList(RandomHashes(HashList::kFew, 1)).bucket_count());
  const HashList list(RandomHashes(100000, 1));
  ASSERT_EQ(256u, list.bucket_count());
  for (size_t bucket = 0; bucket < 256; ++bucket) {
    for (const uint64_t hash : HashesIn(list, bucket)) {
      ASSERT_EQ(bucket, hash >> 56);
    }
  }
}

TEST(HashListTest, IsEmptyAfterMoveAndReassignment) {
  HashList list(RandomHashes(100000, 1));
  const HashList moved = std::move(list);
  list = {};
  EXPECT_EQ(100000u, moved.size());
  EXPECT_TRUE(list.empty());
  list.Add(7);
  EXPECT_EQ(std::vector<uint64_t>{7}, AllHashesIn(list));
}

}  // namespace
}  // namespace linebloom
