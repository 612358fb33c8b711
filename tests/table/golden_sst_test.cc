// Files of a RocksDB that may be newer than the one these tests are built with;
// tests/golden/sst/README.md says how they were made.

#include <string>

#include "filter_policy/filter/filter_block.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/filter_locator.h"
#include "table/sst_file.h"

namespace linebloom {
namespace {

using ::testing::SizeIs;

constexpr int kKeys = 400;

SstFile OpenGolden(const std::string& name) {
  absl::StatusOr<SstFile> file =
      SstFile::Open(std::string(LINEBLOOM_GOLDEN_DIR) + "/sst/" + name);
  EXPECT_TRUE(file.ok()) << file.status();
  return *std::move(file);
}

// db_bench's i-th key: 8 bytes, highest first.
std::string KeyAt(int i) {
  std::string key(8, '\0');
  key[6] = static_cast<char>(i >> 8);
  key[7] = static_cast<char>(i);
  return key;
}

void ExpectBloom(const SstFile& file, const BlockHandle& handle) {
  const absl::StatusOr<Block> block = ReadFilterBlock(file, handle);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(ParseFilter(block->payload.data(), block->payload.size()).kind,
            BlockKind::kBloom);
}

void ExpectWhatBothSay(const SstFile& file, const Properties& properties) {
  EXPECT_EQ(file.footer().format_version, 6);
  EXPECT_EQ(file.footer().checksum_type, ChecksumType::kXxh3);
  EXPECT_NE(file.footer().base_context_checksum, 0);
  EXPECT_EQ(properties.num_entries, kKeys);
  EXPECT_EQ(properties.num_filter_entries, kKeys);
  EXPECT_EQ(properties.filter_policy_name, "bloomfilter");
  EXPECT_EQ(properties.comparator_name, "leveldb.BytewiseComparator");
  EXPECT_EQ(properties.column_family_name, "default");
  EXPECT_EQ(properties.prefix_extractor_name, "");
  EXPECT_TRUE(properties.whole_key_filtering);
}

TEST(GoldenSstTest, FullFilterOfVersion6) {
  const SstFile file = OpenGolden("v6_full.sst");
  const absl::StatusOr<Properties> properties = file.ReadProperties();
  ASSERT_TRUE(properties.ok()) << properties.status();
  ExpectWhatBothSay(file, *properties);

  const absl::StatusOr<FilterLocation> location = LocateFilter(file);
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->kind, FilterKind::kFull);
  EXPECT_EQ(location->family, "rocksdb.BuiltinBloomFilter");
  ASSERT_THAT(location->blocks, SizeIs(1));
  EXPECT_EQ(location->TotalSize(), 517);
  EXPECT_EQ(properties->filter_size, 517);
  ExpectBloom(file, location->blocks[0]);
}

TEST(GoldenSstTest, PartitionedFilterOfVersion6) {
  const SstFile file = OpenGolden("v6_partitioned.sst");
  const absl::StatusOr<Properties> properties = file.ReadProperties();
  ASSERT_TRUE(properties.ok()) << properties.status();
  ExpectWhatBothSay(file, *properties);
  EXPECT_TRUE(properties->index_key_is_user_key);
  EXPECT_TRUE(properties->index_value_is_delta_encoded);

  const absl::StatusOr<FilterLocation> location = LocateFilter(file);
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->kind, FilterKind::kPartitioned);
  EXPECT_THAT(location->blocks, SizeIs(8));
  EXPECT_EQ(location->TotalSize(), 876);
  EXPECT_EQ(properties->filter_size, 876);

  // The keys of each partition, found by its last key in the index.
  PartitionIndex index(&location->partition_index, *properties);
  int next_key = 0;
  while (index.Next()) {
    const int first_key = next_key;
    while (next_key < kKeys &&
           absl::string_view(KeyAt(next_key)) <= index.user_key()) {
      ++next_key;
    }
    const int keys = next_key - first_key;
    EXPECT_GT(keys, 0);
    EXPECT_LE(keys * 10, static_cast<int>(index.handle().size) * 8);
    ExpectBloom(file, index.handle());
  }
  EXPECT_TRUE(index.status().ok()) << index.status();
  EXPECT_EQ(next_key, kKeys);
}

}  // namespace
}  // namespace linebloom
