#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/filter_locator.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Encode;
using ::linebloom::testing::Entry;
using ::linebloom::testing::MakeBlock;
using ::linebloom::testing::MakeDeltaIndex;
using ::linebloom::testing::Partition;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Four consecutive partitions. "b" shares nothing with the previous key.
const std::vector<Partition>& Partitions() {
  static const auto* const kPartitions =
      new std::vector<Partition>{{"aaa", {0, 100}},
                                 {"aab", {105, 50}},
                                 {"b", {160, 70}},
                                 {"bc", {235, 0}}};
  return *kPartitions;
}

constexpr uint64_t kIndexOffset = 240;

Block IndexBlock(std::string payload) {
  return {std::move(payload), kIndexOffset, "index", "x.sst"};
}

std::string MakePlainIndex(const std::vector<Partition>& partitions) {
  std::vector<Entry> entries;
  entries.reserve(partitions.size());
  for (const Partition& p : partitions) {
    entries.push_back({p.key, Encode(p.handle)});
  }
  return MakeBlock(entries, 1);
}

std::vector<std::string> Walk(PartitionIndex* index) {
  std::vector<std::string> seen;
  while (index->Next()) {
    seen.push_back(
        absl::StrCat(index->user_key(), " ", ToString(index->handle())));
  }
  return seen;
}

TEST(PartitionIndexTest, WalksPlainAndDeltaEncodedHandles) {
  for (const int restart_interval : {0, 1, 2, 16}) {  // 0: plain
    Properties properties;
    properties.index_key_is_user_key = true;
    properties.index_value_is_delta_encoded = restart_interval > 0;
    const Block block = IndexBlock(
        restart_interval > 0 ? MakeDeltaIndex(Partitions(), restart_interval)
                             : MakePlainIndex(Partitions()));
    PartitionIndex index(&block, properties);
    EXPECT_THAT(
        Walk(&index),
        ElementsAre("aaa 100 bytes at offset 0", "aab 50 bytes at offset 105",
                    "b 70 bytes at offset 160", "bc 0 bytes at offset 235"))
        << restart_interval;
    EXPECT_TRUE(index.status().ok()) << index.status();
  }
}

TEST(PartitionIndexTest, InternalKeysAreStrippedToUserKeys) {
  const std::vector<Partition> partitions = {
      {std::string("key\1\0\0\0\0\0\0\0", 11), {0, 1}}, {"12345678", {6, 1}}};
  const Block block = IndexBlock(MakePlainIndex(partitions));
  PartitionIndex index(&block, Properties());
  EXPECT_THAT(Walk(&index),
              ElementsAre("key 1 bytes at offset 0", " 1 bytes at offset 6"));
  EXPECT_TRUE(index.status().ok()) << index.status();
}

TEST(PartitionIndexTest, InternalKeyThatIsTooShortIsDamage) {
  const Block block = IndexBlock(MakePlainIndex({{"1234567", {0, 1}}}));
  PartitionIndex index(&block, Properties());
  EXPECT_THAT(Walk(&index), IsEmpty());
  EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(index.status().message()),
              HasSubstr("internal key of at least 8 bytes"));
}

// RocksDB writes this if no key was added to the filter.
TEST(PartitionIndexTest, EmptyIndexHasNoPartitions) {
  const Block block = IndexBlock("");
  PartitionIndex index(&block, Properties());
  EXPECT_THAT(Walk(&index), IsEmpty());
  EXPECT_TRUE(index.status().ok()) << index.status();
}

TEST(PartitionIndexTest, OverlappingPartitionsAreDamage) {
  const std::vector<Partition> wrong[] = {
      {{"a", {0, 100}},
       {"b", {104, 10}}},                  // in the trailer of the previous one
      {{"a", {0, 100}}, {"b", {0, 100}}},  // the same twice
      {{"a", {50, 10}}, {"b", {0, 10}}},   // backwards
      {{"a", {0, 236}}},                   // its trailer overlaps the index
      {{"a", {UINT64_MAX, UINT64_MAX}}},
      {{"a", {1, UINT64_MAX}}},
  };
  Properties properties;
  properties.index_key_is_user_key = true;
  for (const std::vector<Partition>& partitions : wrong) {
    const Block block = IndexBlock(MakePlainIndex(partitions));
    PartitionIndex index(&block, properties);
    EXPECT_EQ(Walk(&index).size(), partitions.size() - 1);
    EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(index.status().message()),
                HasSubstr("expected a partition between the offsets"));
    EXPECT_FALSE(index.Next());
  }
}

TEST(PartitionIndexTest, DifferenceThatMakesASizeNegativeIsDamage) {
  Properties properties;
  properties.index_key_is_user_key = true;
  properties.index_value_is_delta_encoded = true;
  const Block block = IndexBlock(
      MakeDeltaIndex({{"aa", {0, 10}}, {"ab", {15, UINT64_MAX}}}, 16));
  PartitionIndex index(&block, properties);
  EXPECT_THAT(Walk(&index), ElementsAre("aa 10 bytes at offset 0"));
  EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
}

TEST(PartitionIndexTest, ValueThatIsNotAHandleIsDamage) {
  Properties properties;
  properties.index_key_is_user_key = true;
  const Block plain = IndexBlock(MakeBlock({{"a", "\x01"}}, 1));
  PartitionIndex index(&plain, properties);
  EXPECT_THAT(Walk(&index), IsEmpty());
  EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace linebloom
