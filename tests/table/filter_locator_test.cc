// Locates filters in SSTables made by hand: in every format_version, including
// those that the installed RocksDB can't write.

#include "table/filter_locator.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/sst_file.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::MakeBlock;
using ::linebloom::testing::MakeDeltaIndex;
using ::linebloom::testing::SstBuilder;
using ::linebloom::testing::Varint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFamily[] = "rocksdb.BuiltinBloomFilter";

absl::StatusOr<SstFile> OpenBytes(const std::string& bytes) {
  return SstFile::Open(WrapMemory("x.sst", bytes));
}

class FilterLocatorTest
    : public ::testing::TestWithParam<std::tuple<uint32_t, int>> {
 protected:
  FilterLocatorTest()
      : builder_(std::get<0>(GetParam()),
                 static_cast<ChecksumType>(std::get<1>(GetParam()))) {
    builder_.AddBlock("data");
  }

  // The payloads of the filter blocks in a file of these bytes.
  static std::vector<std::string> ReadFilter(const std::string& bytes,
                                             FilterLocation* location) {
    std::vector<std::string> payloads;
    const absl::StatusOr<SstFile> file = OpenBytes(bytes);
    EXPECT_TRUE(file.ok()) << file.status();
    if (!file.ok()) return payloads;
    absl::StatusOr<FilterLocation> found = LocateFilter(*file);
    EXPECT_TRUE(found.ok()) << found.status();
    if (!found.ok()) return payloads;
    *location = *std::move(found);
    for (const BlockHandle& handle : location->blocks) {
      const absl::StatusOr<Block> block = ReadFilterBlock(*file, handle);
      EXPECT_TRUE(block.ok()) << block.status();
      if (block.ok()) payloads.push_back(block->payload);
    }
    return payloads;
  }

  SstBuilder builder_;
};

std::vector<std::tuple<uint32_t, int>> VersionsAndChecksums() {
  std::vector<std::tuple<uint32_t, int>> all = {{0, 1}};
  for (uint32_t version = 1; version <= kNewestFormatVersion; ++version) {
    for (int type = 0; type <= 4; ++type) all.emplace_back(version, type);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    AllVersions, FilterLocatorTest, ::testing::ValuesIn(VersionsAndChecksums()),
    [](const auto& param_info) {
      return "Version" + std::to_string(std::get<0>(param_info.param)) +
             "Checksum" + std::to_string(std::get<1>(param_info.param));
    });

TEST_P(FilterLocatorTest, NoFilter) {
  builder_.AddMeta("rocksdb.index", BlockHandle{0, 4});
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location), IsEmpty());
  EXPECT_EQ(location.kind, FilterKind::kNone);
  EXPECT_EQ(location.family, "");
  EXPECT_EQ(location.TotalSize(), 0);
}

TEST_P(FilterLocatorTest, FullFilter) {
  const BlockHandle filter = builder_.AddBlock("the filter's bytes");
  builder_.AddMeta("fullfilter.some.Policy", filter);
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location),
              ElementsAre("the filter's bytes"));
  EXPECT_EQ(location.kind, FilterKind::kFull);
  EXPECT_EQ(location.family, "some.Policy");
  EXPECT_THAT(location.blocks, ElementsAre(filter));
  EXPECT_EQ(location.TotalSize(), 18);
}

TEST_P(FilterLocatorTest, FullFilterWithoutBytes) {
  builder_.AddMeta("fullfilter.x", builder_.AddBlock(""));
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location), ElementsAre(""));
}

TEST_P(FilterLocatorTest, ObsoleteBlockBasedFilter) {
  builder_.AddMeta("filter.old", builder_.AddBlock("old"));
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location), ElementsAre("old"));
  EXPECT_EQ(location.kind, FilterKind::kObsoleteBlockBased);
  EXPECT_EQ(location.family, "old");
}

TEST_P(FilterLocatorTest, PartitionedFilter) {
  const BlockHandle first = builder_.AddBlock("one");
  const BlockHandle second = builder_.AddBlock("second");
  const std::string index = MakeDeltaIndex({{"k1", first}, {"k2", second}}, 16);
  builder_.AddMeta(std::string("partitionedfilter.") + kFamily,
                   builder_.AddBlock(index));
  builder_.AddMeta("rocksdb.properties",
                   builder_.AddBlock(MakeBlock(
                       {{"rocksdb.index.key.is.user.key", Varint(1)},
                        {"rocksdb.index.value.is.delta.encoded", Varint(1)}},
                       16)));
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location),
              ElementsAre("one", "second"));
  EXPECT_EQ(location.kind, FilterKind::kPartitioned);
  EXPECT_EQ(location.family, kFamily);
  EXPECT_EQ(location.partition_index.payload, index);
  EXPECT_EQ(location.TotalSize(), 9 + index.size());
}

TEST_P(FilterLocatorTest, PartitionedFilterWithoutKeys) {
  builder_.AddMeta("partitionedfilter.x", builder_.AddBlock(""));
  FilterLocation location;
  EXPECT_THAT(ReadFilter(builder_.Finish(), &location), IsEmpty());
  EXPECT_EQ(location.kind, FilterKind::kPartitioned);
}

TEST_P(FilterLocatorTest, PropertiesUnderTheirOldName) {
  builder_.AddMeta(
      "rocksdb.stats",
      builder_.AddBlock(MakeBlock({{"rocksdb.num.entries", Varint(9)}}, 1)));
  const absl::StatusOr<SstFile> file = OpenBytes(builder_.Finish());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->ReadProperties().value().num_entries, 9);
}

// Files with errors that no checksum reveals.
class FilterLocatorErrorTest : public ::testing::Test {
 protected:
  // The first error on the way to the filter's bytes.
  static absl::Status ReadAll(const std::string& bytes) {
    const absl::StatusOr<SstFile> file = OpenBytes(bytes);
    if (!file.ok()) return file.status();
    const absl::StatusOr<FilterLocation> location = LocateFilter(*file);
    if (!location.ok()) return location.status();
    for (const BlockHandle& handle : location->blocks) {
      const absl::StatusOr<Block> block = ReadFilterBlock(*file, handle);
      if (!block.ok()) return block.status();
    }
    return absl::OkStatus();
  }

  static void ExpectDamage(const std::string& bytes,
                           const std::string& message) {
    const absl::Status status = ReadAll(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("x.sst: offset "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }

  SstBuilder builder_{5, ChecksumType::kXxh3};
};

TEST_F(FilterLocatorErrorTest, TwoFiltersOrTwoProperties) {
  builder_.AddMeta("fullfilter.a", BlockHandle{0, 0});
  builder_.AddMeta("partitionedfilter.a", BlockHandle{0, 0});
  ExpectDamage(builder_.Finish(), "expected one filter, found two");

  SstBuilder properties(5, ChecksumType::kXxh3);
  properties.AddMeta("rocksdb.properties", BlockHandle{0, 0});
  properties.AddMeta("rocksdb.stats", BlockHandle{0, 0});
  ExpectDamage(properties.Finish(), "expected one property block, found two");
}

TEST_F(FilterLocatorErrorTest, InvalidHandle) {
  builder_.AddMeta("fullfilter.a", "\x80");
  ExpectDamage(builder_.Finish(), "expected a block handle, two varints");
}

TEST_F(FilterLocatorErrorTest, FilterOutsideTheFile) {
  for (const BlockHandle& handle :
       {BlockHandle{0, 1000}, BlockHandle{1000, 1}, BlockHandle{0, UINT64_MAX},
        BlockHandle{UINT64_MAX, 1}, BlockHandle{UINT64_MAX, UINT64_MAX}}) {
    for (const char* name : {"fullfilter.a", "filter.a"}) {
      SstBuilder builder(5, ChecksumType::kXxh3);
      builder.AddMeta(name, handle);
      ExpectDamage(builder.Finish(),
                   "metaindex: expected a filter that ends before the footer");
    }
    SstBuilder builder(5, ChecksumType::kXxh3);
    builder.AddMeta("partitionedfilter.a", handle);
    ExpectDamage(builder.Finish(),
                 "index of the filter partitions: expected a block that ends "
                 "before the footer");
  }
}

TEST_F(FilterLocatorErrorTest, PartitionedFilterWithoutReadableProperties) {
  builder_.AddMeta("partitionedfilter.a", builder_.AddBlock(""));
  builder_.AddMeta("rocksdb.properties", BlockHandle{0, 1000});
  ExpectDamage(builder_.Finish(), "properties: expected a block that ends");
}

TEST_F(FilterLocatorErrorTest, MovedBlockFailsSinceVersion6) {
  for (const uint32_t version : {5, 6}) {
    SstBuilder builder(version, ChecksumType::kXxh3);
    const BlockHandle first = builder.AddBlock("filter one");
    const BlockHandle second = builder.AddBlock("filter two");
    builder.AddMeta("fullfilter.a", first);
    const std::string bytes = builder.Finish();
    const size_t stored = first.size + kBlockTrailerSize;
    std::string moved = bytes;
    moved.replace(first.offset, stored, bytes, second.offset, stored);
    if (version < 6) {
      EXPECT_TRUE(ReadAll(moved).ok());
    } else {
      ExpectDamage(moved, "filter: expected XXH3 ");
    }
  }
}

// A block whose type says that it is compressed, with a valid checksum.
TEST_F(FilterLocatorErrorTest, CompressedFilter) {
  const std::string summed("filter\4", 7);
  builder_.AddBlock("data");  // 9 bytes
  builder_.AddMeta("fullfilter.a", BlockHandle{9, 6});
  const BlockHandle fake = builder_.AddBlock("filter1234");
  ASSERT_EQ(fake.offset, 9);
  std::string bytes = builder_.Finish();
  bytes.replace(
      9, 11,
      summed + testing::Le32(ComputeChecksum(ChecksumType::kXxh3, summed)));
  ExpectDamage(bytes,
               "offset 15: filter: expected compression type 0 (none), "
               "found type 4");
}

TEST(FilterFamilyTest, NamesOfTheBuiltinFilters) {
  EXPECT_TRUE(IsBuiltinFilterFamily("rocksdb.BuiltinBloomFilter"));
  EXPECT_TRUE(IsBuiltinFilterFamily("ribbonfilter"));
  EXPECT_FALSE(IsBuiltinFilterFamily("rocksdb.BuiltinBloomFilter2"));
  EXPECT_FALSE(IsBuiltinFilterFamily(""));
}

}  // namespace
}  // namespace linebloom
