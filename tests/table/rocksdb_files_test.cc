// Reads files that the installed RocksDB wrote, and compares the results with
// RocksDB's public API.

#include "tests/table/rocksdb_files.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter/filter_block.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/version.h"
#include "table/format.h"
#include "table/sst_file.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::FileSpec;
using ::linebloom::testing::FilterContent;
using ::testing::SizeIs;

constexpr int kKeys = 6000;

// 8.6 added version 6, 10.4 added 7.
constexpr int kRocksDb = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kNewestWritten = kRocksDb >= 1004  ? 7
                                    : kRocksDb >= 806 ? 6
                                                      : 5;

void ExpectSameProperties(const Properties& ours,
                          const rocksdb::TableProperties& theirs) {
  EXPECT_EQ(ours.num_entries, theirs.num_entries);
  EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
  EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
  EXPECT_EQ(ours.filter_size, theirs.filter_size);
  EXPECT_EQ(ours.filter_policy_name, theirs.filter_policy_name);
  const std::string& extractor = theirs.prefix_extractor_name;
  EXPECT_EQ(ours.prefix_extractor_name,
            extractor == "nullptr" ? "" : extractor);
  EXPECT_EQ(ours.comparator_name, theirs.comparator_name);
  EXPECT_EQ(ours.index_key_is_user_key, theirs.index_key_is_user_key != 0);
  EXPECT_EQ(ours.index_value_is_delta_encoded,
            theirs.index_value_is_delta_encoded != 0);
}

// Each key belongs to the first partition whose key is not less, whose filter
// has it.
void ExpectKeysInTheirPartitions(const SstFile& file, const FileSpec& spec,
                                 const std::vector<std::string>& keys) {
  // Reads RocksDB's filters too.
  const auto policy = MakePolicy();
  const bool prefix = spec.content == FilterContent::kPrefixes;
  const auto partition_keys = file.ReadPartitionKeys();
  ASSERT_TRUE(partition_keys.ok()) << partition_keys.status();
  ASSERT_THAT(*partition_keys, SizeIs(file.filter().blocks.size()));
  size_t partitions = 0;
  std::string filter;
  std::unique_ptr<rocksdb::FilterBitsReader> reader;
  for (const std::string& key : keys) {
    while (reader == nullptr || (*partition_keys)[partitions - 1] < key) {
      ASSERT_LT(partitions, partition_keys->size()) << "too few partitions";
      filter = file.ReadFilterBlock(file.filter().blocks[partitions])->payload;
      reader = NewReader(*policy, filter);
      ++partitions;
    }
    EXPECT_TRUE(reader->MayMatch(
        key.substr(0, prefix ? testing::kPrefixLength : key.size())))
        << key;
  }
  EXPECT_EQ(partitions, partition_keys->size());
}

// The file's filter is what `spec` says, and has the keys `keys`.
void ExpectFilterReadable(const SstFile& file, const FileSpec& spec,
                          const std::vector<std::string>& keys) {
  EXPECT_EQ(file.footer().format_version, spec.format_version);
  EXPECT_EQ(file.footer().checksum_type, spec.checksum_type);
  EXPECT_EQ(file.properties().whole_key_filtering,
            spec.content != FilterContent::kPrefixes);

  const FilterLocation& filter = file.filter();
  EXPECT_EQ(filter.kind, spec.filter_kind);
  EXPECT_EQ(filter.TotalSize(), file.properties().filter_size);
  EXPECT_EQ(filter.compatibility_name, spec.filter_kind == FilterKind::kNone
                                           ? ""
                                           : "rocksdb.BuiltinBloomFilter");
  for (const BlockHandle& handle : filter.blocks) {
    const absl::StatusOr<Block> block = file.ReadFilterBlock(handle);
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_EQ(block->payload.size(), handle.size);
    const ParsedFilter parsed =
        ParseFilter(block->payload.data(), block->payload.size());
    EXPECT_EQ(parsed.problem, nullptr);
    EXPECT_EQ(parsed.kind == BlockKind::kLinebloom,
              spec.policy == testing::kLinebloom);
  }
  if (spec.filter_kind != FilterKind::kPartitioned) return;
  EXPECT_GT(filter.blocks.size(), testing::kIndexRestartInterval);
  ExpectKeysInTheirPartitions(file, spec, keys);
  // The handles after each restart are stored as differences.
  EXPECT_EQ(file.properties().index_value_is_delta_encoded,
            spec.format_version >= 4);
}

// As RocksDB itself reads it.
void ExpectReadable(const std::string& path, const FileSpec& spec) {
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  rocksdb::SstFileReader reader((rocksdb::Options()));
  testing::Check(reader.Open(path));
  testing::Check(reader.VerifyChecksum());
  ExpectSameProperties(file->properties(), *reader.GetTableProperties());
  EXPECT_EQ(file->properties().prefix_filtering,
            spec.content != FilterContent::kWholeKeys);
  std::vector<std::string> keys;
  const std::unique_ptr<rocksdb::Iterator> row(reader.NewIterator({}));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
    keys.push_back(row->key().ToString());
  }
  testing::Check(row->status());
  ExpectFilterReadable(*file, spec, keys);
}

// transcripts/dump.txt has every kind, version and content. Files of databases
// have what SstFileWriter's lack: column families, session IDs, and internal
// keys with sequence numbers.
TEST(RocksDbFileTest, IsReadAsRocksDbReadsIt) {
  const TemporaryFolder folder;
  for (const FileSpec& spec :
       {FileSpec{2, ChecksumType::kCrc32c, FilterKind::kNone},
        FileSpec{2, ChecksumType::kXxHash32, FilterKind::kPartitioned},
        FileSpec{5, ChecksumType::kXxHash64, FilterKind::kPartitioned,
                 FilterContent::kPrefixes, testing::kLinebloom},
        FileSpec{kNewestWritten, ChecksumType::kXxh3, FilterKind::kFull,
                 FilterContent::kBoth, testing::kRibbon}}) {
    SCOPED_TRACE(spec.format_version);
    const std::string path = folder.File("file.sst");
    testing::WriteSst(path, spec, kKeys);
    ExpectReadable(path, spec);
    const TemporaryFolder db;
    for (const std::string& live :
         testing::WriteDatabase(db.path(), spec, 2 * kKeys)) {
      ExpectReadable(live, spec);
    }
  }
}

// db_bench's keys: 8 bytes, highest first.
std::vector<std::string> GoldenKeys() {
  std::vector<std::string> keys(400, std::string(8, '\0'));
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i][6] = static_cast<char>(i >> 8);
    keys[i][7] = static_cast<char>(i);
  }
  return keys;
}

// Files of a RocksDB that may be newer than the one these tests are built with;
// tests/golden/sst/README.md says how they were made.
TEST(GoldenSstTest, Versions6And8) {
  for (const uint32_t version : {6, 8}) {
    for (const bool full : {true, false}) {
      const auto file =
          SstFile::Open(absl::StrCat(LINEBLOOM_GOLDEN_DIR, "/sst/v", version,
                                     full ? "_full.sst" : "_partitioned.sst"));
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_NE(file->footer().base_context_checksum, 0);
      const Properties& properties = file->properties();
      EXPECT_EQ(properties.num_entries, 400);
      EXPECT_EQ(properties.num_filter_entries, 400);
      EXPECT_EQ(properties.filter_size, full ? 517 : version == 6 ? 876 : 609);
      EXPECT_EQ(properties.filter_policy_name, "bloomfilter");
      EXPECT_EQ(properties.comparator_name, "leveldb.BytewiseComparator");
      EXPECT_EQ(properties.prefix_extractor_name, "");
      EXPECT_EQ(properties.level_at_creation,
                version == 6 ? std::nullopt : std::optional(6));
      ExpectFilterReadable(
          *file,
          {version, ChecksumType::kXxh3,
           full ? FilterKind::kFull : FilterKind::kPartitioned},
          GoldenKeys());
    }
  }
}

}  // namespace
}  // namespace linebloom
