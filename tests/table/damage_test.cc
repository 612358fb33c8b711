// Damages every byte of an SSTable that describes the filter, and expects the
// right answer or an error: never a wrong answer, a crash or a hang.

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/filter_locator.h"
#include "table/sst_file.h"
#include "tests/table/rocksdb_files.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::FileSpec;
using ::linebloom::testing::MakeBlock;
using ::linebloom::testing::MakeDeltaIndex;
using ::linebloom::testing::SstBuilder;
using ::linebloom::testing::Varint;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Everything that a tool learns about a file's filter.
struct Answer {
  FilterKind kind;
  std::string family;
  std::vector<std::string> blocks;
  std::vector<std::string> partition_keys;
  std::string filter_policy_name;
  uint64_t num_entries;

  friend bool operator==(const Answer&, const Answer&) = default;
};

absl::StatusOr<Answer> ReadAll(const std::string& bytes) {
  const absl::StatusOr<SstFile> file =
      SstFile::Open(WrapMemory("x.sst", bytes));
  if (!file.ok()) return file.status();
  const absl::StatusOr<Properties> properties = file->ReadProperties();
  if (!properties.ok()) return properties.status();
  const absl::StatusOr<FilterLocation> location =
      LocateFilter(*file, *properties);
  if (!location.ok()) return location.status();
  Answer answer{location->kind,
                location->family,
                {},
                {},
                properties->filter_policy_name,
                properties->num_entries};
  for (const BlockHandle& handle : location->blocks) {
    absl::StatusOr<Block> block = ReadFilterBlock(*file, handle);
    if (!block.ok()) return block.status();
    answer.blocks.push_back(block->payload);
  }
  if (location->kind == FilterKind::kPartitioned) {
    PartitionIndex index(&location->partition_index, *properties);
    while (index.Next()) answer.partition_keys.emplace_back(index.user_key());
    if (!index.status().ok()) return index.status();
  }
  return answer;
}

std::string WriteWithRocksDb(const FileSpec& spec, int keys) {
  const std::string path = testing::MakeTempDir() + "/file.sst";
  testing::WriteSst(path, spec, keys);
  return testing::ReadFileBytes(path);
}

std::string WriteByHand(uint32_t version, ChecksumType type) {
  SstBuilder builder(version, type);
  const BlockHandle first = builder.AddBlock("one partition");
  const BlockHandle second = builder.AddBlock("another one");
  builder.AddMeta(
      "partitionedfilter.rocksdb.BuiltinBloomFilter",
      builder.AddBlock(MakeDeltaIndex({{"k1", first}, {"k2", second}}, 16)));
  builder.AddMeta("rocksdb.properties",
                  builder.AddBlock(MakeBlock(
                      {{"rocksdb.filter.policy", "bloomfilter"},
                       {"rocksdb.index.key.is.user.key", Varint(1)},
                       {"rocksdb.index.value.is.delta.encoded", Varint(1)},
                       {"rocksdb.num.entries", Varint(1000)}},
                      16)));
  return builder.Finish();
}

// The bytes of the sample SSTable called `name`, one of those listed below.
std::string MakeSample(const std::string& name) {
  if (name == "RocksDbFullXxh3") return WriteWithRocksDb({}, 40);
  if (name == "RocksDbFullCrc32c") {
    return WriteWithRocksDb(
        {.format_version = 2, .checksum_type = ChecksumType::kCrc32c}, 40);
  }
  if (name == "RocksDbPartitioned") {
    return WriteWithRocksDb({.filter_kind = FilterKind::kPartitioned}, 600);
  }
  if (name == "RocksDbNoFilter") {
    return WriteWithRocksDb({.filter_kind = FilterKind::kNone}, 40);
  }
  if (name == "RocksDb9Partitioned") {
    return testing::ReadFileBytes(std::string(LINEBLOOM_GOLDEN_DIR) +
                                  "/sst/v6_partitioned.sst");
  }
  if (name == "Version0") return WriteByHand(0, ChecksumType::kCrc32c);
  if (name == "Version1") return WriteByHand(1, ChecksumType::kXxHash32);
  if (name == "Version6") return WriteByHand(6, ChecksumType::kXxh3);
  EXPECT_EQ(name, "Version7");
  return WriteByHand(7, ChecksumType::kXxHash64);
}

class DamageTest : public ::testing::TestWithParam<const char*> {
 protected:
  DamageTest() : bytes_(MakeSample(GetParam())), whole_(ReadAll(bytes_)) {}

  void SetUp() override { ASSERT_TRUE(whole_.ok()) << whole_.status(); }

  void ExpectRightOrDamage(const std::string& damaged, size_t at) {
    const absl::StatusOr<Answer> answer = ReadAll(damaged);
    if (answer.ok()) {
      EXPECT_TRUE(*answer == *whole_) << "wrong answer, byte " << at;
    } else {
      ++reported_;
      EXPECT_THAT(std::string(answer.status().message()),
                  StartsWith("x.sst: offset "));
      EXPECT_THAT(std::string(answer.status().message()),
                  HasSubstr("expected "));
    }
  }

  std::string bytes_;
  absl::StatusOr<Answer> whole_;
  int reported_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    Samples, DamageTest,
    ::testing::Values("RocksDbFullXxh3", "RocksDbFullCrc32c",
                      "RocksDbPartitioned", "RocksDbNoFilter",
                      "RocksDb9Partitioned", "Version0", "Version1", "Version6",
                      "Version7"),
    [](const auto& param_info) { return std::string(param_info.param); });

TEST_P(DamageTest, EveryTruncationIsReported) {
  for (size_t length = 0; length < bytes_.size(); ++length) {
    const absl::StatusOr<Answer> answer = ReadAll(bytes_.substr(0, length));
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument)
        << length;
  }
}

TEST_P(DamageTest, EveryMissingHeadIsReported) {
  for (size_t length = 1; length < bytes_.size(); ++length) {
    EXPECT_FALSE(ReadAll(bytes_.substr(length)).ok()) << length;
  }
}

TEST_P(DamageTest, EveryFlippedBitIsReportedOrHarmless) {
  for (size_t i = 0; i < bytes_.size(); ++i) {
    for (const int flip :
         {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string damaged = bytes_;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ExpectRightOrDamage(damaged, i);
    }
  }
  EXPECT_GT(reported_, 500);
}

// Flips that must be reported: those in the blocks that describe the filter,
// including their trailers.
TEST_P(DamageTest, FlipsInTheBlocksThatDescribeTheFilterAreReported) {
  const SstFile file = *SstFile::Open(WrapMemory("x.sst", bytes_));
  const FilterLocation location = *LocateFilter(file);
  std::vector<BlockHandle> blocks = location.blocks;
  blocks.push_back(file.footer().metaindex);
  blocks.push_back(*file.metaindex().properties);
  if (location.kind == FilterKind::kPartitioned) {
    blocks.push_back(file.metaindex().filter);
  }
  for (const BlockHandle& block : blocks) {
    for (uint64_t i = 0; i < block.size + kBlockTrailerSize; ++i) {
      std::string damaged = bytes_;
      char& byte = damaged[block.offset + i];
      byte = static_cast<char>(byte ^ 0x10);
      // The checksum doesn't cover the eight bytes of an ingested file's
      // sequence number.
      const absl::StatusOr<Answer> answer = ReadAll(damaged);
      if (block == *file.metaindex().properties && answer.ok()) {
        EXPECT_NE(SstFile::Open(WrapMemory("x.sst", damaged))
                      ->ReadProperties()
                      ->global_sequence_number.value_or(0),
                  0);
      } else {
        EXPECT_EQ(answer.status().code(), absl::StatusCode::kDataLoss)
            << "byte " << i << " of " << ToString(block);
      }
    }
  }
}

}  // namespace
}  // namespace linebloom
