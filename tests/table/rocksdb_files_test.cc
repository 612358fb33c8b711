// Reads files that the installed RocksDB wrote, and compares the results with
// RocksDB's public API.

#include "tests/table/rocksdb_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "table/format.h"
#include "table/sst_file.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::FileSpec;
using ::linebloom::testing::FilterContent;

constexpr int kKeys = 12'000;

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

// The file's filter is what `spec` says. It has all keys, or the first
// partition whose key is not less has them.
void ExpectFilterReadable(const SstFile& file, const FileSpec& spec,
                          const std::vector<std::string>& keys) {
  EXPECT_EQ(file.footer().format_version, spec.format_version);
  EXPECT_EQ(file.footer().checksum_type, spec.checksum_type);
  const FilterLocation& filter = file.filter();
  EXPECT_EQ(filter.kind, spec.filter_kind);
  EXPECT_EQ(filter.TotalSize(), file.properties().filter_size);
  if (spec.filter_kind == FilterKind::kNone) return;
  EXPECT_EQ(filter.compatibility_name, "rocksdb.BuiltinBloomFilter");
  std::vector<std::string> blocks;
  for (const BlockHandle& handle : filter.blocks) {
    blocks.push_back(file.ReadFilterBlock(handle).value().payload);
    EXPECT_EQ(blocks.back().size(), handle.size);
  }
  EXPECT_EQ(ParseFilter(blocks.at(0).data(), blocks[0].size()).kind ==
                BlockKind::kLinebloom,
            spec.policy == testing::kLinebloom);
  const auto last_keys = file.ReadPartitionKeys();
  ASSERT_TRUE(last_keys.ok()) << last_keys.status();
  if (spec.filter_kind == FilterKind::kPartitioned) {
    ASSERT_EQ(last_keys->size(), blocks.size());
    EXPECT_GT(blocks.size(), testing::kIndexRestartInterval);
    // The handles after each restart are stored as differences.
    EXPECT_EQ(file.properties().index_value_is_delta_encoded,
              spec.format_version >= 4);
  }
  const auto policy = MakePolicy();  // reads RocksDB's filters too
  const bool of_prefixes = spec.content == FilterContent::kPrefixes;
  for (const std::string& key : keys) {
    const auto partition =
        std::ranges::lower_bound(*last_keys, key) - last_keys->begin();
    EXPECT_TRUE(NewReader(*policy, blocks.at(partition))
                    ->MayMatch(key.substr(
                        0, of_prefixes ? testing::kPrefixLength : key.size())))
        << key;
  }
}

// As RocksDB itself reads it.
void ExpectReadable(const std::string& path, const FileSpec& spec) {
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  rocksdb::SstFileReader reader((rocksdb::Options()));
  testing::Check(reader.Open(path));
  ExpectSameProperties(file->properties(), *reader.GetTableProperties());
  EXPECT_EQ(file->properties().whole_key_filtering,
            spec.content != FilterContent::kPrefixes);
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

// transcripts/dump.txt has every kind, version and content.
TEST(RocksDbFileTest, IsReadAsRocksDbReadsIt) {
  for (const FileSpec& spec :
       {FileSpec{2, ChecksumType::kCrc32c, FilterKind::kNone},
        FileSpec{2, ChecksumType::kXxHash32, FilterKind::kPartitioned},
        FileSpec{5, ChecksumType::kXxHash64, FilterKind::kPartitioned,
                 FilterContent::kPrefixes, testing::kLinebloom},
        FileSpec{rocksdb::BlockBasedTableOptions().format_version,
                 ChecksumType::kXxh3, FilterKind::kFull, FilterContent::kBoth,
                 testing::kRibbon}}) {
    SCOPED_TRACE(spec.format_version);
    const TemporaryFolder folder;
    const auto db =
        testing::OpenDb(testing::MakeOptions(spec), folder.File("db"));
    testing::WriteRows(db.get(), kKeys);
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    ASSERT_EQ(files.size(), 2);
    for (const auto& file : files) {
      ExpectReadable(file.db_path + file.name, spec);
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
      EXPECT_EQ(properties.num_filter_entries, 400);
      EXPECT_EQ(properties.filter_size, full ? 517 : version == 6 ? 876 : 609);
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
