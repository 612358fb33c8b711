// Reads files that the installed RocksDB wrote, in every way that it supports,
// and compares the results with RocksDB's public API.

#include "tests/table/rocksdb_files.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/db.h"
#include "rocksdb/version.h"
#include "table/block.h"
#include "table/filter_locator.h"
#include "table/sst_file.h"

namespace linebloom {
namespace {

using ::linebloom::testing::FileSpec;
using ::linebloom::testing::FilterContent;
using ::linebloom::testing::KeyAt;
using ::linebloom::testing::Policy;
using ::testing::AnyOf;
using ::testing::SizeIs;

constexpr int kKeys = 6000;

// 8.6 added version 6, 10.4 added 7, 11.0 dropped 0 and 1.
constexpr int kRocksDb = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kOldestWritten = kRocksDb >= 1100 ? 2 : 0;
constexpr uint32_t kNewestWritten = kRocksDb >= 1004  ? 7
                                    : kRocksDb >= 806 ? 6
                                                      : 5;

std::string StringOrEmpty(const std::string& text) {
  return text == "nullptr" ? "" : text;
}

void ExpectSameProperties(const Properties& ours,
                          const rocksdb::TableProperties& theirs) {
  EXPECT_EQ(ours.num_entries, theirs.num_entries);
  EXPECT_EQ(ours.num_deletions, theirs.num_deletions);
  EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
  EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
  EXPECT_EQ(ours.filter_size, theirs.filter_size);
  EXPECT_EQ(ours.filter_policy_name, theirs.filter_policy_name);
  EXPECT_EQ(ours.prefix_extractor_name,
            StringOrEmpty(theirs.prefix_extractor_name));
  EXPECT_EQ(ours.comparator_name, theirs.comparator_name);
  EXPECT_EQ(ours.column_family_name, theirs.column_family_name);
  EXPECT_EQ(ours.index_key_is_user_key, theirs.index_key_is_user_key != 0);
  EXPECT_EQ(ours.index_value_is_delta_encoded,
            theirs.index_value_is_delta_encoded != 0);
}

// The block at the handle is a complete filter of the right kind.
void ExpectFilter(const FileSpec& spec, const std::string& filter) {
  const ParsedFilter parsed = ParseFilter(filter.data(), filter.size());
  if (spec.policy == Policy::kLinebloom) {
    EXPECT_EQ(parsed.kind, BlockKind::kLinebloom) << parsed.problem;
    return;
  }
  if (spec.policy == Policy::kRibbon &&
      spec.filter_kind == FilterKind::kPartitioned) {
    // For few keys, as in a last partition, Ribbon falls back to Bloom.
    EXPECT_THAT(parsed.kind, AnyOf(BlockKind::kRibbon, BlockKind::kBloom));
  } else if (spec.policy == Policy::kRibbon) {
    EXPECT_EQ(parsed.kind, BlockKind::kRibbon);
  } else if (spec.format_version >= 5) {
    EXPECT_EQ(parsed.kind, BlockKind::kBloom);
  } else {
    EXPECT_EQ(parsed.kind, BlockKind::kLegacyBloom);
  }
}

// Each key belongs to the first partition whose key is not less. linebloom's
// partitions must contain their keys; the sizes of others must fit their
// numbers of keys.
class PartitionCheck {
 public:
  PartitionCheck(const SstFile& file, const FileSpec& spec,
                 const FilterLocation& location, const Properties& properties)
      : file_(file),
        spec_(spec),
        index_(&location.partition_index, properties) {}

  void Run(const std::vector<std::string>& keys) {
    NextPartition();
    for (const std::string& key : keys) {
      while (index_.user_key() < absl::string_view(key)) {
        FinishPartition();
        if (!NextPartition()) return;
      }
      ++keys_here_;
      ExpectMayMatch(key);
    }
    FinishPartition();
    EXPECT_FALSE(index_.Next());
    EXPECT_TRUE(index_.status().ok()) << index_.status();
  }

 private:
  bool NextPartition() {
    if (!index_.Next()) {
      ADD_FAILURE() << "too few partitions; " << index_.status();
      return false;
    }
    keys_here_ = 0;
    filter_ = ReadFilterBlock(file_, index_.handle())->payload;
    return true;
  }

  void FinishPartition() const {
    if (spec_.policy != Policy::kBloom ||
        spec_.content != FilterContent::kWholeKeys) {
      return;
    }
    // 10 bits per key, rounded up to an odd number of lines at most.
    const double wanted = keys_here_ * 10.0 / 8;
    const auto size = static_cast<double>(filter_.size());
    EXPECT_GE(size, wanted * 0.95) << "before " << index_.user_key();
    EXPECT_LE(size, wanted + 2 * 64 + 5) << "before " << index_.user_key();
  }

  void ExpectMayMatch(const std::string& key) const {
    if (spec_.policy != Policy::kLinebloom) return;
    const std::optional<FilterReader> reader = FilterReader::Make(
        filter_.data(), ParseFilter(filter_.data(), filter_.size()));
    ASSERT_TRUE(reader.has_value());
    const bool prefix = spec_.content == FilterContent::kPrefixes;
    const size_t length = prefix ? testing::kPrefixLength : key.size();
    EXPECT_TRUE(reader->MayMatch(reader->hash()(key.data(), length))) << key;
  }

  const SstFile& file_;
  const FileSpec& spec_;
  PartitionIndex index_;
  std::string filter_;
  int keys_here_ = 0;
};

// Counts the handles in the index that are stored as differences.
int CountDifferences(const Block& index) {
  EntryIterator entry(&index, ValueLength::kOfBlockHandle);
  int count = 0;
  while (entry.Next()) count += entry.continues_key() ? 1 : 0;
  EXPECT_TRUE(entry.status().ok()) << entry.status();
  return count;
}

void ExpectReadable(const std::string& path, const FileSpec& spec) {
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->footer().format_version, spec.format_version);
  EXPECT_EQ(file->footer().checksum_type, spec.checksum_type);

  const rocksdb::TableProperties theirs = testing::ReadWithRocksDb(path);
  const absl::StatusOr<Properties> ours = file->ReadProperties();
  ASSERT_TRUE(ours.ok()) << ours.status();
  ExpectSameProperties(*ours, theirs);
  EXPECT_EQ(ours->whole_key_filtering,
            spec.content != FilterContent::kPrefixes);
  EXPECT_EQ(ours->prefix_filtering, spec.content != FilterContent::kWholeKeys);

  const absl::StatusOr<FilterLocation> location = LocateFilter(*file);
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->kind, spec.filter_kind);
  EXPECT_EQ(location->TotalSize(), theirs.filter_size);
  EXPECT_EQ(location->family, spec.filter_kind == FilterKind::kNone
                                  ? ""
                                  : "rocksdb.BuiltinBloomFilter");
  for (const BlockHandle& handle : location->blocks) {
    const absl::StatusOr<Block> block = ReadFilterBlock(*file, handle);
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_EQ(block->payload.size(), handle.size);
    ExpectFilter(spec, block->payload);
  }
  if (spec.filter_kind != FilterKind::kPartitioned) return;
  EXPECT_GT(location->blocks.size(), testing::kIndexRestartInterval);
  PartitionCheck(*file, spec, *location, *ours)
      .Run(testing::ReadKeysWithRocksDb(path));
  if (spec.format_version >= 4) {
    EXPECT_GT(CountDifferences(location->partition_index), 0);
  }
}

std::vector<FileSpec> AllSpecs() {
  std::vector<FileSpec> specs;
  for (uint32_t version = kOldestWritten; version <= kNewestWritten;
       ++version) {
    for (int type = 0; type <= 4; ++type) {
      const auto checksum_type = static_cast<ChecksumType>(type);
      // With any other checksum, RocksDB writes version 1 instead of 0.
      if (version == 0 && checksum_type != ChecksumType::kCrc32c) continue;
      for (const FilterKind kind :
           {FilterKind::kNone, FilterKind::kFull, FilterKind::kPartitioned}) {
        for (const FilterContent content :
             {FilterContent::kWholeKeys, FilterContent::kPrefixes,
              FilterContent::kBoth}) {
          specs.push_back({version, checksum_type, kind, content});
        }
      }
    }
  }
  for (const Policy policy : {Policy::kRibbon, Policy::kLinebloom}) {
    for (const FilterKind kind :
         {FilterKind::kFull, FilterKind::kPartitioned}) {
      for (const FilterContent content :
           {FilterContent::kWholeKeys, FilterContent::kPrefixes,
            FilterContent::kBoth}) {
        specs.push_back({5, ChecksumType::kXxh3, kind, content, policy});
      }
    }
  }
  return specs;
}

std::string NameOfParam(const ::testing::TestParamInfo<FileSpec>& param_info) {
  return testing::NameOf(param_info.param);
}

class SstFileWriterTest : public ::testing::TestWithParam<FileSpec> {};

INSTANTIATE_TEST_SUITE_P(AllWays, SstFileWriterTest,
                         ::testing::ValuesIn(AllSpecs()), NameOfParam);

TEST_P(SstFileWriterTest, MatchesWhatRocksDbReads) {
  const std::string path = testing::MakeTempDir() + "/file.sst";
  testing::WriteSst(path, GetParam(), kKeys);
  ExpectReadable(path, GetParam());
}

// Files of databases have what SstFileWriter's files lack: column families,
// session IDs, and internal keys with sequence numbers.
std::vector<FileSpec> DatabaseSpecs() {
  std::vector<FileSpec> specs;
  for (const FileSpec& spec : AllSpecs()) {
    const bool usual =
        spec.format_version == 0 || spec.checksum_type == ChecksumType::kXxh3;
    if (usual && spec.content != FilterContent::kPrefixes) {
      specs.push_back(spec);
    }
  }
  return specs;
}

class DatabaseTest : public ::testing::TestWithParam<FileSpec> {};

INSTANTIATE_TEST_SUITE_P(AllWays, DatabaseTest,
                         ::testing::ValuesIn(DatabaseSpecs()), NameOfParam);

TEST_P(DatabaseTest, FilesMatchWhatRocksDbReads) {
  const std::vector<std::string> paths = testing::WriteDatabase(
      testing::MakeTempDir() + "/db", GetParam(), 2 * kKeys);
  ASSERT_THAT(paths, SizeIs(2));
  for (const std::string& path : paths) ExpectReadable(path, GetParam());
}

// Ingestion over existing keys gives a file a sequence number. RocksDB up to 8
// writes it into the properties without updating the checksum.
TEST(IngestedFileTest, PropertiesIncludeTheSequenceNumber) {
  const std::string dir = testing::MakeTempDir();
  const std::string sst = dir + "/outside.sst";
  const FileSpec spec;
  testing::WriteSst(sst, spec, 100);

  rocksdb::Options options = testing::MakeOptions(spec);
  options.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, dir + "/db", &raw).ok());
  std::unique_ptr<rocksdb::DB> db(raw);
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), KeyAt(50), "older").ok());
  rocksdb::IngestExternalFileOptions ingest;
  ingest.write_global_seqno = true;
  const rocksdb::Status ingested = db->IngestExternalFile({sst}, ingest);
  ASSERT_TRUE(ingested.ok()) << ingested.ToString();

  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  int with_number = 0;
  for (const auto& live : files) {
    const absl::StatusOr<SstFile> file =
        SstFile::Open(live.db_path + live.name);
    ASSERT_TRUE(file.ok()) << file.status();
    const absl::StatusOr<Properties> properties = file->ReadProperties();
    ASSERT_TRUE(properties.ok()) << properties.status();
    if (properties->global_sequence_number.value_or(0) == 0) continue;
    ++with_number;
    EXPECT_EQ(properties->num_entries, 100);
    EXPECT_EQ(properties->global_sequence_number, live.smallest_seqno);
    // Judged by the checksum alone, it would be damaged.
    EXPECT_EQ(file->ReadBlock(*file->metaindex().properties, "properties")
                  .status()
                  .code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(with_number, 1);
}

}  // namespace
}  // namespace linebloom
