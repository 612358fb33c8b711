// Checks that hand-made SSTables are like RocksDB's: takes files that RocksDB
// wrote apart, and SstBuilder must rebuild the same file from the parts, byte
// by byte.

#include "tests/table/sst_builder.h"

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "rocksdb/version.h"
#include "table/entry_iterator.h"
#include "table/filter_locator.h"
#include "table/partition_index.h"
#include "table/sst_file.h"
#include "tests/table/rocksdb_files.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Entry;
using ::linebloom::testing::FileSpec;
using ::linebloom::testing::Partition;
using ::linebloom::testing::SstBuilder;

constexpr int kGoldenRestartInterval = 4;

// The handle of the index, the second one in the footer, which the reader
// ignores.
BlockHandle IndexHandle(const Footer& footer, absl::string_view bytes) {
  BlockHandle handle;
  if (footer.format_version >= 6) return handle;
  bytes.remove_prefix(footer.offset + (footer.format_version > 0 ? 1 : 0));
  EXPECT_TRUE(ConsumeBlockHandle(&bytes, &handle));
  EXPECT_TRUE(ConsumeBlockHandle(&bytes, &handle));
  return handle;
}

std::string RebuildMetaindex(const Block& metaindex) {
  std::vector<Entry> entries;
  EntryIterator entry(&metaindex, ValueLength::kStored);
  while (entry.Next()) {
    entries.push_back(
        {std::string(entry.key().data(), entry.key().size()),
         std::string(entry.value().data(), entry.value().size())});
  }
  EXPECT_TRUE(entry.status().ok()) << entry.status();
  return testing::MakeBlock(entries, 1);
}

void ExpectRebuilt(const std::string& bytes) {
  const absl::StatusOr<SstFile> file =
      SstFile::Open(WrapMemory("x.sst", bytes));
  ASSERT_TRUE(file.ok()) << file.status();
  const Footer& footer = file->footer();
  const FilterLocation location = *LocateFilter(*file);
  ASSERT_FALSE(location.blocks.empty());

  const absl::string_view all = bytes;
  SstBuilder builder(footer.format_version, footer.checksum_type,
                     footer.base_context_checksum);
  const BlockHandle& filter = location.blocks.back();
  builder.AddBytes(all.substr(0, filter.offset));
  EXPECT_EQ(builder.AddBlock(all.substr(filter.offset, filter.size)), filter);
  const uint64_t done = filter.offset + filter.size + kBlockTrailerSize;
  builder.AddBytes(all.substr(done, footer.metaindex.offset - done));
  const Block metaindex = *file->ReadBlock(footer.metaindex, "metaindex");
  EXPECT_TRUE(builder.FinishWith(RebuildMetaindex(metaindex),
                                 IndexHandle(footer, bytes)) == bytes);
}

void ExpectPartitionIndexRebuilt(const std::string& bytes,
                                 int restart_interval) {
  const absl::StatusOr<SstFile> file =
      SstFile::Open(WrapMemory("x.sst", bytes));
  ASSERT_TRUE(file.ok()) << file.status();
  const Properties properties = *file->ReadProperties();
  ASSERT_TRUE(properties.index_value_is_delta_encoded);
  ASSERT_TRUE(properties.index_key_is_user_key);
  const FilterLocation location = *LocateFilter(*file, properties);
  std::vector<Partition> partitions;
  PartitionIndex index(&location.partition_index, properties);
  while (index.Next()) {
    partitions.push_back(
        {std::string(index.user_key().data(), index.user_key().size()),
         index.handle()});
  }
  EXPECT_TRUE(index.status().ok()) << index.status();
  EXPECT_TRUE(testing::MakeDeltaIndex(partitions, restart_interval) ==
              location.partition_index.payload);
}

std::string WriteWithRocksDb(const FileSpec& spec) {
  const std::string path = testing::MakeTempDir() + "/file.sst";
  testing::WriteSst(path, spec, 3000);
  return testing::ReadFileBytes(path);
}

std::string ReadGolden(const std::string& name) {
  return testing::ReadFileBytes(std::string(LINEBLOOM_GOLDEN_DIR) + "/sst/" +
                                name);
}

TEST(SstBuilderTest, MakesFilesLikeTheInstalledRocksDb) {
  std::vector<FileSpec> specs;
  // Version 0 has only CRC32c; RocksDB 11 writes neither version 0 nor 1.
  if (ROCKSDB_MAJOR < 11) {
    specs.push_back(
        {.format_version = 0, .checksum_type = ChecksumType::kCrc32c});
  }
  for (uint32_t version = ROCKSDB_MAJOR < 11 ? 1 : 2; version <= 5; ++version) {
    for (int type = 0; type <= 4; ++type) {
      specs.push_back({.format_version = version,
                       .checksum_type = static_cast<ChecksumType>(type)});
    }
  }
  for (const FileSpec& spec : specs) {
    SCOPED_TRACE(testing::NameOf(spec));
    ExpectRebuilt(WriteWithRocksDb(spec));
  }
}

TEST(SstBuilderTest, MakesFilesLikeRocksDb9) {
  ExpectRebuilt(ReadGolden("v6_full.sst"));
  ExpectRebuilt(ReadGolden("v6_partitioned.sst"));
}

TEST(SstBuilderTest, MakesPartitionIndexesLikeRocksDb) {
  ExpectPartitionIndexRebuilt(
      WriteWithRocksDb({.filter_kind = FilterKind::kPartitioned}),
      testing::kIndexRestartInterval);
  ExpectPartitionIndexRebuilt(ReadGolden("v6_partitioned.sst"),
                              kGoldenRestartInterval);
}

}  // namespace
}  // namespace linebloom
