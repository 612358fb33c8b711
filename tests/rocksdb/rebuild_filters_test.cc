// Old files get today's filters, and nothing else about them changes.
// oracle/rebuild_cells.cc tests what holds for all policies and compaction
// styles.

#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"
#include "rocksdb/metadata.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_manager.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// The facts about a file that must not change: its level, folder, keys and
// entries.
using FileShape =
    std::tuple<int, std::string, std::string, std::string, uint64_t>;

std::vector<rocksdb::LiveFileMetaData> LiveFiles(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files;
}

std::vector<FileShape> ShapeOf(rocksdb::DB* db) {
  std::vector<FileShape> shape;
  for (const auto& file : LiveFiles(db)) {
    shape.emplace_back(file.level, file.directory, file.smallestkey,
                       file.largestkey, file.num_entries);
  }
  std::sort(shape.begin(), shape.end());
  return shape;
}

std::vector<std::string> NamesOf(rocksdb::DB* db) {
  std::vector<std::string> names;
  for (const auto& file : LiveFiles(db)) names.push_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

class RebuildFiltersTest : public DbTest {
 protected:
  static constexpr Rows kRows{0, 4000};

  RebuildFiltersTest() { UsePolicy(PolicyKind::kBuiltinBloom); }

  void UseLinebloom(Line line = Line::kSolved, double bits_per_key = 10) {
    FilterPolicyOptions policy;
    policy.line = line;
    policy.bits_per_key = bits_per_key;
    table_.filter_policy.reset(NewFilterPolicy(policy));
  }

  // Opens the database with linebloom's policy from now on.
  void SwitchToLinebloom() {
    UseLinebloom();
    Reopen();
  }

  RebuildFiltersReport Rebuild(const RebuildFiltersOptions& options = {},
                               const RebuildFiltersCallback& progress = {}) {
    RebuildFiltersReport report;
    EXPECT_OK(RebuildFilters(db_.get(), options, progress, &report));
    return report;
  }

  void ExpectAllLinebloom() {
    for (const auto& file : AllProperties(db_.get())) {
      EXPECT_EQ(file->filter_policy_name, "linebloom");
    }
  }

  // Expects that `files` files are rewritten for `reason`, and none a second
  // time.
  void ExpectRebuilt(size_t files, RebuildReason reason) {
    const std::vector<FileShape> before = ShapeOf(db_.get());
    const RebuildFiltersReport report = Rebuild();
    EXPECT_EQ(report.files.size(), files);
    uint64_t bytes = 0;
    for (const FileRebuild& file : report.files) {
      EXPECT_EQ(file.reason, reason);
      EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten);
      EXPECT_LT(file.rate_after, file.rate);
      bytes += file.bytes;
    }
    EXPECT_EQ(report.bytes_rewritten, bytes);
    EXPECT_EQ(ShapeOf(db_.get()), before);
    ExpectAllLinebloom();
    ExpectNothingToRebuild();
  }

  void ExpectNothingToRebuild() {
    const std::vector<std::string> before = NamesOf(db_.get());
    EXPECT_TRUE(Rebuild().files.empty());
    EXPECT_EQ(NamesOf(db_.get()), before);
  }

  // Writes rows as WriteFile() does, into one file of `level`.
  void WriteFileOfLevel(int level, Rows rows) {
    WriteFile(rows);
    rocksdb::ColumnFamilyMetaData files;
    db_->GetColumnFamilyMetaData(&files);
    rocksdb::CompactionOptions compaction;
    compaction.compression = rocksdb::kDisableCompressionOption;
    ASSERT_OK(
        db_->CompactFiles(compaction, {files.levels[0].files[0].name}, level));
  }

  std::string PathOf(const rocksdb::LiveFileMetaData& file) {
    return file.directory + "/" + file.relative_filename;
  }

  // Changes one byte `from_end` bytes before the end of `path`.
  static void Damage(const std::string& path, uint64_t from_end) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(
        std::filesystem::file_size(path) - from_end);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(byte);
    ASSERT_TRUE(file.good());
  }

  // Changes the footer of `path`, of format_version 1 to 5: the index gets a
  // size of 2^50 bytes.
  static void EnlargeIndex(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    // After the type of the checksums, three varints: the metaindex, and where
    // the index begins.
    file.seekg(-52, std::ios::end);
    for (int varints = 0; varints < 3;) varints += file.get() < 0x80 ? 1 : 0;
    file.seekp(file.tellg());
    file.write("\x80\x80\x80\x80\x80\x80\x80\x02", 8);
    ASSERT_TRUE(file.good());
  }
};

// ---------------------------------------------------------------------------
// Reasons.

// There and back, with each of RocksDB's kinds of filters.
TEST_F(RebuildFiltersTest, RocksDbsPoliciesTakeTheWayBack) {
  struct Case {
    PolicyKind policy;
    uint32_t format_version;
    bool partitioned;
  };
  for (const auto& [policy, format_version, partitioned] :
       {Case{PolicyKind::kBuiltinBloom, 5, false},
        Case{PolicyKind::kBuiltinBloom, 5, true},
        Case{PolicyKind::kBuiltinBloom, 3, false},
        Case{PolicyKind::kBuiltinRibbon, 5, false}}) {
    SCOPED_TRACE(testing::Message() << policy << " " << format_version);
    table_.format_version = format_version;
    table_.partition_filters = partitioned;
    table_.index_type =
        partitioned
            ? rocksdb::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch
            : rocksdb::BlockBasedTableOptions::IndexType::kBinarySearch;
    UseLinebloom();
    DestroyAndReopen();
    WriteFileOfLevel(3, kRows);
    ExpectFilterWorks(kRows);

    UsePolicy(policy);
    Reopen();
    WriteFileOfLevel(1, {6000, 8000});  // of RocksDB's, which stays
    const FilterCounts unfiltered = CountMissing(kRows);
    EXPECT_EQ(unfiltered.no, 0);
    const std::vector<FileShape> before = ShapeOf(db_.get());
    const RebuildFiltersReport report = Rebuild();
    ASSERT_EQ(report.files.size(), 1);
    const FileRebuild& file = report.files[0];
    EXPECT_EQ(file.reason, RebuildReason::kForeignFilter);
    EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten);
    EXPECT_EQ(file.level, 3);
    EXPECT_EQ(file.rate, 1);
    EXPECT_NEAR(file.rate_after, 0.0095, 0.002);
    // The files lie next to each other: a third of the rows in the other.
    EXPECT_NEAR(report.reads[0].before, (2 + 0.0095) / 3, 0.005);
    EXPECT_NEAR(report.reads[0].after, 0.0095, 0.002);
    EXPECT_EQ(ShapeOf(db_.get()), before);
    for (const auto& properties : AllProperties(db_.get())) {
      EXPECT_EQ(properties->filter_policy_name, PolicyName(policy));
    }
    ExpectFilterWorks(kRows);
    ExpectNothingToRebuild();
  }
}

TEST_F(RebuildFiltersTest, BetterFiltersOfRocksDbStay) {
  UsePolicy(PolicyKind::kBuiltinRibbon, 18);
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  const RebuildFiltersReport report = Rebuild();
  EXPECT_TRUE(report.files.empty());
  EXPECT_EQ(report.files_examined, 1);
  EXPECT_EQ(report.files_no_better, 1);
}

TEST_F(RebuildFiltersTest, PlainLinesAndFewerBitsRebuildOurOwn) {
  UseLinebloom(Line::kPlain);
  Reopen();
  WriteFile(kRows);
  UseLinebloom(Line::kSolved);
  Reopen();
  ExpectRebuilt(1, RebuildReason::kPlainLines);
  UseLinebloom(Line::kSolved, 14);
  Reopen();
  ExpectRebuilt(1, RebuildReason::kWorseRate);
  ExpectFilterWorks(kRows);
  // With fewer bits again, the better file stays.
  UseLinebloom(Line::kPlain, 8);
  Reopen();
  ExpectNothingToRebuild();
}

// A random seed differs in each file, so a file with any seed stays.
TEST_F(RebuildFiltersTest, AnotherHashSeedRebuildsOurOwn) {
  for (const uint64_t seed : {uint64_t{7}, kRandomHashSeed}) {
    SCOPED_TRACE(seed);
    UseLinebloom();
    DestroyAndReopen();
    WriteFile(kRows);
    FilterPolicyOptions policy;
    policy.hash_seed = seed;
    table_.filter_policy.reset(NewFilterPolicy(policy));
    Reopen();
    const RebuildFiltersReport report = Rebuild();
    ASSERT_EQ(report.files.size(), 1);
    EXPECT_EQ(report.files[0].reason, RebuildReason::kOtherHashSeed);
    EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
    ExpectNothingToRebuild();
    ExpectFilterWorks(kRows);
  }
}

TEST_F(RebuildFiltersTest, AnotherPrefixExtractorRebuildsOurOwn) {
  UseLinebloom();
  Reopen();
  WriteFile(kRows);
  const auto expect_rebuilt = [this](bool rebuilt,
                                     RebuildReason reason =
                                         RebuildReason::kOtherPrefixes) {
    Reopen();
    const RebuildFiltersReport report = Rebuild();
    ASSERT_EQ(report.files.size(), rebuilt ? 1 : 0);
    if (rebuilt) {
      EXPECT_EQ(report.files[0].reason, reason);
      EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
    }
    ExpectNothingToRebuild();
  };
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  expect_rebuilt(true);
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(5));
  expect_rebuilt(true);
  // Prefixes that no lookup needs do no harm.
  options_.prefix_extractor = nullptr;
  expect_rebuilt(false);
  ExpectFilterWorks(kRows);
  // Lookups need whole keys, which the filter lacks.
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(5));
  table_.whole_key_filtering = false;
  Reopen();
  CompactAll();
  expect_rebuilt(false);
  table_.whole_key_filtering = true;
  expect_rebuilt(true);
  // Rows without a prefix get no filter; with the other extractor all rows have
  // a prefix.
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(100));
  table_.whole_key_filtering = false;
  Reopen();
  CompactAll();
  expect_rebuilt(false);
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  expect_rebuilt(true, RebuildReason::kNoFilter);
}

TEST_F(RebuildFiltersTest, WorstRateDecidesHowPoorIsPoor) {
  UseLinebloom(Line::kSolved, 9);
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  RebuildFiltersOptions options;
  options.dry_run = true;
  options.worst_rate = 0.02;
  EXPECT_TRUE(Rebuild(options).files.empty());
  options.worst_rate = 0.001;
  EXPECT_EQ(Rebuild(options).files.size(), 1);
}

// The files are read through the database's own file system.
TEST_F(RebuildFiltersTest, FilesInMemoryAreRebuilt) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  options_.env = memory.get();
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  ExpectRebuilt(1, RebuildReason::kForeignFilter);
  ExpectFilterWorks(kRows);
  Close();
}

TEST_F(RebuildFiltersTest, FilesThatGetNoFilterStay) {
  options_.optimize_filters_for_hits = true;
  UsePolicy(PolicyKind::kNone);
  Reopen();
  WriteFileOfLevel(6, kRows);
  WriteFileOfLevel(3, kRows);
  WriteFileOfLevel(3, {6000, 8000});  // nothing below it
  SwitchToLinebloom();
  const RebuildFiltersReport report = Rebuild();
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].level, 3);
  EXPECT_EQ(report.files[0].rows, kRows.present());
  ExpectNothingToRebuild();
}

// ---------------------------------------------------------------------------
// Damage.

TEST_F(RebuildFiltersTest, ADamagedFilterIsReplaced) {
  UseLinebloom();
  Reopen();
  WriteFile({0, 40'000});  // 25,000 bytes of filter
  const std::string path = PathOf(LiveFiles(db_.get())[0]);
  Close();
  Damage(path, 15'000);
  Reopen();
  const RebuildFiltersReport report = Rebuild();
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].reason, RebuildReason::kDamagedFilter);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
  ExpectFilterWorks({0, 40'000});
  ExpectNothingToRebuild();
}

TEST_F(RebuildFiltersTest, AFileWithADamagedRowStaysAndWritesGoOn) {
  Reopen();
  WriteFileOfLevel(6, {0, 40'000});
  WriteFileOfLevel(6, {50'000, 90'000});
  const std::string path = PathOf(LiveFiles(db_.get())[0]);
  Close();
  Damage(path, std::filesystem::file_size(path) - 100);
  SwitchToLinebloom();
  const RebuildFiltersReport report = Rebuild();
  ASSERT_EQ(report.files.size(), 2);
  for (const FileRebuild& file : report.files) {
    const bool damaged = file.path == path;
    EXPECT_EQ(file.outcome,
              damaged ? RebuildOutcome::kDamaged : RebuildOutcome::kRewritten);
    EXPECT_EQ(file.message.empty(), !damaged);
  }
  ASSERT_OK(db_->Put({}, "another", "row"));
  ASSERT_OK(db_->Flush({}));
  EXPECT_EQ(GetText(db_.get(), RowKey(50'000)), RowValue(50'000));
}

TEST_F(RebuildFiltersTest, AFileThatCannotBeReadIsNamed) {
  Reopen();
  WriteFile(kRows);
  const std::string path = PathOf(LiveFiles(db_.get())[0]);
  SwitchToLinebloom();
  Damage(path, 1);  // its table stays open
  const RebuildFiltersReport report = Rebuild();
  EXPECT_TRUE(report.files.empty());
  ASSERT_EQ(report.unreadable.size(), 1);
  EXPECT_NE(report.unreadable[0].find(path), std::string::npos);
}

// RocksDB allocates what the footer says, and bad_alloc would pass through it
// into the application.
TEST_F(RebuildFiltersTest, AFileWhoseIndexHasNoEndIsNamed) {
  table_.format_version = 5;  // later footers have a checksum
  Reopen();
  WriteFile(kRows);
  const std::string path = PathOf(LiveFiles(db_.get())[0]);
  SwitchToLinebloom();
  EnlargeIndex(path);  // its table stays open
  const RebuildFiltersReport report = Rebuild();
  EXPECT_TRUE(report.files.empty());
  ASSERT_EQ(report.unreadable.size(), 1);
  EXPECT_NE(report.unreadable[0].find(path), std::string::npos);
  EXPECT_NE(report.unreadable[0].find("expected an index that ends before it"),
            std::string::npos)
      << report.unreadable[0];
}

// Hours may pass between the plan and a file's turn.
TEST_F(RebuildFiltersTest, AFileWhoseFooterIsDamagedAfterThePlanStays) {
  for (const bool check_data_blocks : {true, false}) {
    table_.format_version = 5;
    UsePolicy(PolicyKind::kBuiltinBloom);
    Reopen();
    WriteFile(kRows);
    SwitchToLinebloom();
    const std::string path = PathOf(LiveFiles(db_.get())[0]);
    bool damaged = false;
    RebuildFiltersOptions options;
    options.check_data_blocks = check_data_blocks;
    const RebuildFiltersReport report =
        Rebuild(options, [&](const RebuildFiltersProgress& progress) {
          if (progress.rewriting && !damaged) EnlargeIndex(path);
          damaged |= progress.rewriting;
          return true;
        });
    ASSERT_EQ(report.files.size(), 1);
    EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kDamaged);
    EXPECT_NE(report.files[0].message.find("expected an index that ends"),
              std::string::npos)
        << report.files[0].message;
    DestroyAndReopen();
  }
}

// ---------------------------------------------------------------------------
// Files that stay unchanged.

TEST_F(RebuildFiltersTest, ASnapshotKeepsSeeingOldVersions) {
  constexpr uint64_t kEnd = 40'000;
  UseLinebloom();
  Reopen();
  PutRows({0, kEnd});
  const rocksdb::Snapshot* const snapshot = db_->GetSnapshot();
  for (uint64_t i = 0; i < kEnd; i += 2) {
    ASSERT_OK(db_->Put({}, RowKey(i), "new"));
  }
  Flush();
  CompactAll();
  // A snapshot doesn't outlive its database, and before RocksDB 9 the policy of
  // an open one can't change: so this worsens the filter on the disk.
  Damage(PathOf(LiveFiles(db_.get())[0]), 15'000);
  EXPECT_EQ(Rebuild().files.size(), 1);
  rocksdb::ReadOptions read;
  read.snapshot = snapshot;
  for (uint64_t i = 0; i < kEnd; i += 2) {
    ASSERT_EQ(GetText(db_.get(), RowKey(i), read), RowValue(i));
    ASSERT_EQ(GetText(db_.get(), RowKey(i)), "new");
  }
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(RebuildFiltersTest, ALevelKeepsItsCompression) {
  options_.level_compaction_dynamic_level_bytes = false;
  options_.compression_per_level = {rocksdb::kNoCompression,
                                    rocksdb::kNoCompression,
                                    rocksdb::kZlibCompression};
  options_.bottommost_compression = rocksdb::kLZ4Compression;
  Reopen();
  WriteFileOfLevel(6, kRows);
  WriteFileOfLevel(3, kRows);
  WriteFile(kRows);
  const auto compressions = [this] {
    std::vector<std::string> names;
    for (const auto& file : AllProperties(db_.get())) {
      names.push_back(file->compression_name);
    }
    return names;
  };
  // RocksDB 11 writes format_version 7, where a name lists CompressionTypes.
  const std::vector<std::string> before =
      ROCKSDB_IS_AT_LEAST(11, 0)
          ? std::vector<std::string>{";;", "BuiltinV2;02;", "BuiltinV2;04;"}
          : std::vector<std::string>{"NoCompression", "Zlib", "LZ4"};
  ASSERT_EQ(compressions(), before);
  SwitchToLinebloom();
  EXPECT_EQ(Rebuild().files.size(), 3);
  EXPECT_EQ(compressions(), before);
}

// Files stay on their levels when dynamic levels are turned on later.
TEST_F(RebuildFiltersTest, FilesAboveTheBaseLevelAreRebuilt) {
  options_.level_compaction_dynamic_level_bytes = false;
  options_.compression_per_level = {rocksdb::kNoCompression,
                                    rocksdb::kZlibCompression};
  Reopen();
  WriteFileOfLevel(6, kRows);
  WriteFileOfLevel(3, kRows);
  options_.level_compaction_dynamic_level_bytes = true;
  SwitchToLinebloom();
  ExpectRebuilt(2, RebuildReason::kForeignFilter);
}

TEST_F(RebuildFiltersTest, AFileKeepsItsPath) {
  options_.db_paths = {{Path("db"), 1 << 30}, {Path("slow"), 1 << 30}};
  Reopen();
  for (const uint32_t path : {1, 0}) {
    WriteFile({path * 10'000, path * 10'000 + 4000});
    rocksdb::ColumnFamilyMetaData files;
    db_->GetColumnFamilyMetaData(&files);
    ASSERT_OK(db_->CompactFiles({}, {files.levels[0].files[0].name}, 6,
                                static_cast<int>(path)));
  }
  SwitchToLinebloom();
  ExpectRebuilt(2, RebuildReason::kForeignFilter);
}

// ---------------------------------------------------------------------------
// The run itself.

TEST_F(RebuildFiltersTest, SavesTheMostReadsForItsBytesFirst) {
  Reopen();
  WriteFileOfLevel(6, {0, 40'000});
  WriteFileOfLevel(5, {0, 4000});
  WriteFile({0, 400});
  SwitchToLinebloom();
  RebuildFiltersOptions dry_run;
  dry_run.dry_run = true;
  const RebuildFiltersReport plan = Rebuild(dry_run);
  ASSERT_EQ(plan.files.size(), 3);
  EXPECT_EQ(plan.files[0].level, 0);
  EXPECT_EQ(plan.files[1].level, 5);
  EXPECT_EQ(plan.files[2].level, 6);
  // Of 22,200 rows those in each file's range.
  const double shares[] = {600.0 / 22'200, 4200.0 / 22'200, 1};
  double saved = 0;
  double reads = 0;
  for (size_t i = 0; i < 3; ++i) {
    const FileRebuild& file = plan.files[i];
    EXPECT_EQ(file.outcome, RebuildOutcome::kPlanned);
    saved += file.saved_reads;
    reads += shares[i] * file.rate;
  }
  ASSERT_EQ(plan.reads.size(), 1);
  EXPECT_NEAR(plan.reads[0].before, reads, 0.01 * reads);
  EXPECT_NEAR(plan.reads[0].before - plan.reads[0].after, saved, 1e-12);
  // The run does what the plan says.
  Rebuild();
  const RebuildFiltersReport after = Rebuild();
  EXPECT_NEAR(after.reads[0].before, plan.reads[0].after,
              0.3 * plan.reads[0].after);  // a filter of 200 keys among them
}

TEST_F(RebuildFiltersTest, ADryRunChangesNothing) {
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  const std::vector<std::string> before = NamesOf(db_.get());
  RebuildFiltersOptions options;
  options.dry_run = true;
  const RebuildFiltersReport report = Rebuild(options);
  EXPECT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.bytes_rewritten, 0);
  EXPECT_EQ(NamesOf(db_.get()), before);
}

TEST_F(RebuildFiltersTest, StopsWhenToldToAndGoesOnLater) {
  Reopen();
  for (uint64_t i = 0; i < 4; ++i) {
    WriteFileOfLevel(6, {i * 10'000, i * 10'000 + 4000});
  }
  SwitchToLinebloom();
  RebuildFiltersReport report;
  for (uint64_t files = 4; files > 0; --files) {
    const rocksdb::Status status = RebuildFilters(
        db_.get(), {},
        [](const RebuildFiltersProgress& progress) {
          return !progress.rewriting || progress.files_done == 0;
        },
        &report);
    ASSERT_EQ(report.files.size(), files);
    EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
    EXPECT_EQ(status.IsIncomplete(), files > 1) << status.ToString();
    if (files > 1) {
      EXPECT_EQ(report.files[1].outcome, RebuildOutcome::kPlanned);
    }
  }
  ExpectAllLinebloom();
  ExpectNothingToRebuild();
  EXPECT_TRUE(RebuildFilters(db_.get(), {}, [](const auto&) {
                return false;
              }).IsIncomplete());
}

TEST_F(RebuildFiltersTest, PausesAsTheRateAsks) {
  Reopen();
  WriteFileOfLevel(6, {0, 4000});
  WriteFileOfLevel(6, {10'000, 14'000});
  SwitchToLinebloom();
  RebuildFiltersOptions options;
  options.bytes_per_second = 1;
  RebuildFiltersReport report;
  int in_pause = 0;
  EXPECT_TRUE(RebuildFilters(
                  db_.get(), options,
                  [&in_pause](const RebuildFiltersProgress& progress) {
                    in_pause += progress.files_done == 1 && progress.rewriting;
                    return in_pause < 3;
                  },
                  &report)
                  .IsIncomplete());
  EXPECT_EQ(in_pause, 3);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
  EXPECT_EQ(report.files[1].outcome, RebuildOutcome::kPlanned);
  EXPECT_EQ(report.bytes_rewritten, report.files[0].bytes);
}

// RocksDB compacts neighbors together if they share a user key, of which
// snapshots keep several versions.
TEST_F(RebuildFiltersTest, NeighboursWithACommonKeyAreRewrittenOnce) {
  Reopen();
  PutRows({0, 100});
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (const char version : {'a', 'b', 'c', 'd'}) {
    ASSERT_OK(db_->Put({}, RowKey(50), std::string(100'000, version)));
    snapshots.push_back(db_->GetSnapshot());
  }
  Flush();
  rocksdb::CompactionOptions small_files;
  small_files.compression = rocksdb::kNoCompression;
  small_files.output_file_size_limit = 64 << 10;
  ASSERT_OK(db_->CompactFiles(small_files, {LiveFiles(db_.get())[0].name}, 6));
  for (const auto* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
  const size_t files = LiveFiles(db_.get()).size();
  if (files == 1) GTEST_SKIP() << "this RocksDB keeps versions together";
  SwitchToLinebloom();
  const RebuildFiltersReport report = Rebuild();
  for (const FileRebuild& file : report.files) {
    EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten);
  }
  EXPECT_LT(LiveFiles(db_.get()).size(), files);
  EXPECT_EQ(GetText(db_.get(), RowKey(50)), std::string(100'000, 'd'));
  EXPECT_EQ(GetText(db_.get(), RowKey(98)), RowValue(98));
  ExpectNothingToRebuild();
}

// Blocks compactions at their start until it is released.
class Barrier : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    std::unique_lock<std::mutex> lock(mutex_);
    begun_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void WaitForBegin() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return begun_; });
  }
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false;
  bool open_ = false;
};

class RebuildConflictTest : public RebuildFiltersTest {
 protected:
  // A compaction of all files holds them until RebuildFilters has met one that
  // is busy; then it continues, or ends without a result.
  RebuildFiltersReport RebuildDuringCompaction(bool compaction_succeeds) {
    Reopen();
    WriteFile(kRows);
    const auto barrier = std::make_shared<Barrier>();
    options_.listeners = {barrier};
    SwitchToLinebloom();
    std::atomic<bool> canceled = false;
    std::thread compaction([&] {
      rocksdb::CompactRangeOptions all;
      all.bottommost_level_compaction =
          rocksdb::BottommostLevelCompaction::kForce;
      all.canceled = &canceled;
      const rocksdb::Status status = db_->CompactRange(all, nullptr, nullptr);
      EXPECT_EQ(status.ok(), compaction_succeeds) << status.ToString();
    });
    barrier->WaitForBegin();
    int calls = 0;
    const RebuildFiltersReport report =
        Rebuild({}, [&](const RebuildFiltersProgress& progress) {
          // One call before the first attempt, the next during the pause after
          // it.
          if (progress.rewriting && ++calls == 2) {
            canceled = !compaction_succeeds;
            barrier->Open();
            compaction.join();
          }
          return true;
        });
    EXPECT_GE(calls, 2);
    return report;
  }
};

TEST_F(RebuildConflictTest, AFileThatIsBeingCompactedIsTriedAgain) {
  const RebuildFiltersReport report = RebuildDuringCompaction(false);
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
  ExpectAllLinebloom();
}

TEST_F(RebuildConflictTest, AFileThatACompactionTookAwayIsDone) {
  const RebuildFiltersReport report = RebuildDuringCompaction(true);
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kGone);
  EXPECT_EQ(report.bytes_rewritten, 0);
  ExpectAllLinebloom();
}

// It holds the file for longer than RebuildFilters tries.
TEST_F(RebuildConflictTest, AFileThatIsCompactedAllTheWhileIsBusy) {
  Reopen();
  WriteFile(kRows);
  const auto barrier = std::make_shared<Barrier>();
  options_.listeners = {barrier};
  SwitchToLinebloom();
  std::thread compaction([&] {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_OK(db_->CompactRange(all, nullptr, nullptr));
  });
  barrier->WaitForBegin();
  const RebuildFiltersReport report = Rebuild();
  barrier->Open();
  compaction.join();
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kBusy);
  EXPECT_FALSE(report.files[0].message.empty());
  EXPECT_EQ(report.bytes_rewritten, 0);
  ExpectAllLinebloom();
}

// ---------------------------------------------------------------------------
// Memory runs out.

// Has too little memory to open one file.
class SmallMemory : public rocksdb::FileSystemWrapper {
 public:
  SmallMemory() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SmallMemory"; }
  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* dbg) override {
    if (path == too_large_) throw std::bad_alloc();
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
  }
  void SetTooLarge(const std::string& path) { too_large_ = path; }

 private:
  std::string too_large_;  // set and read by the thread that rebuilds
};

class RebuildInSmallMemoryTest : public RebuildFiltersTest {
 protected:
  RebuildInSmallMemoryTest()
      : memory_(std::make_shared<SmallMemory>()),
        env_(rocksdb::NewCompositeEnv(memory_)) {
    options_.env = env_.get();
  }
  ~RebuildInSmallMemoryTest() override { Close(); }

  const std::shared_ptr<SmallMemory> memory_;
  const std::unique_ptr<rocksdb::Env> env_;
};

TEST_F(RebuildInSmallMemoryTest, AFileThatIsTooLargeStays) {
  Reopen();
  WriteFileOfLevel(6, {0, 4000});
  WriteFileOfLevel(6, {5000, 9000});
  SwitchToLinebloom();
  const std::string path = PathOf(LiveFiles(db_.get())[0]);
  const RebuildFiltersReport report =
      Rebuild({}, [&](const RebuildFiltersProgress& progress) {
        if (progress.rewriting) memory_->SetTooLarge(path);
        return true;
      });
  ASSERT_EQ(report.files.size(), 2);
  for (const FileRebuild& file : report.files) {
    const bool stays = file.path == path;
    EXPECT_EQ(file.outcome,
              stays ? RebuildOutcome::kDamaged : RebuildOutcome::kRewritten);
    EXPECT_EQ(file.message.find("bad_alloc") != std::string::npos, stays)
        << file.message;
  }
}

// ---------------------------------------------------------------------------
// A full disk.

// Reports a given amount of free space.
class SmallDisk : public rocksdb::FileSystemWrapper {
 public:
  SmallDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SmallDisk"; }
  rocksdb::IOStatus GetFreeSpace(const std::string& /*path*/,
                                 const rocksdb::IOOptions& /*options*/,
                                 uint64_t* free,
                                 rocksdb::IODebugContext* /*dbg*/) override {
    *free = free_;
    return known_ ? rocksdb::IOStatus::OK()
                  : rocksdb::IOStatus::NotSupported("GetFreeSpace");
  }
  void SetFree(uint64_t bytes) { free_ = bytes; }
  void SetUnknown() { known_ = false; }

 private:
  std::atomic<uint64_t> free_ = uint64_t{1} << 40;
  std::atomic<bool> known_ = true;
};

class RebuildOnSmallDiskTest : public RebuildFiltersTest {
 protected:
  static constexpr uint64_t kWriteBuffers = 3 << 20;

  RebuildOnSmallDiskTest()
      : disk_(std::make_shared<SmallDisk>()),
        env_(rocksdb::NewCompositeEnv(disk_)) {
    options_.env = env_.get();
    options_.write_buffer_size = 1 << 20;
    options_.max_write_buffer_number = 3;
  }
  ~RebuildOnSmallDiskTest() override { Close(); }

  // Writes a file of level 6 and a small one of level 5. Returns the bytes that
  // must be free to rewrite the former.
  uint64_t WriteLargeAndSmall() {
    Reopen();
    WriteFileOfLevel(6, {0, 40'000});
    WriteFileOfLevel(5, {0, 400});
    SwitchToLinebloom();
    uint64_t most = 0;
    for (const auto& file : LiveFiles(db_.get())) {
      most = std::max<uint64_t>(most, file.size);
    }
    return 2 * kWriteBuffers + most + (most + 9) / 10;
  }

  const std::shared_ptr<SmallDisk> disk_;
  const std::unique_ptr<rocksdb::Env> env_;
};

TEST_F(RebuildOnSmallDiskTest, AFileWithoutRoomIsLeftOut) {
  const uint64_t needed = WriteLargeAndSmall();
  disk_->SetFree(needed - 1);
  const RebuildFiltersReport report = Rebuild();
  ASSERT_EQ(report.files.size(), 2);
  for (const FileRebuild& file : report.files) {
    EXPECT_EQ(file.outcome, file.level == 6 ? RebuildOutcome::kNoSpace
                                            : RebuildOutcome::kRewritten);
    EXPECT_EQ(file.message.empty(), file.level != 6);
    if (file.level == 6) {
      EXPECT_NE(file.message.find(std::to_string(needed - 1) + " bytes free"),
                std::string::npos)
          << file.message;
    }
  }
  ASSERT_OK(db_->Put({}, "another", "row"));
  Flush();
  disk_->SetFree(needed);
  EXPECT_EQ(Rebuild().bytes_rewritten, report.files[1].bytes);
  ExpectAllLinebloom();
}

TEST_F(RebuildOnSmallDiskTest, ADryRunSaysSo) {
  disk_->SetFree(WriteLargeAndSmall() - 1);
  RebuildFiltersOptions dry_run;
  dry_run.dry_run = true;
  for (const FileRebuild& file : Rebuild(dry_run).files) {
    EXPECT_EQ(file.outcome, file.level == 6 ? RebuildOutcome::kNoSpace
                                            : RebuildOutcome::kPlanned);
  }
}

TEST_F(RebuildOnSmallDiskTest, AFileSystemThatCannotTellIsTakenForLarge) {
  WriteLargeAndSmall();
  disk_->SetFree(0);
  disk_->SetUnknown();
  for (const FileRebuild& file : Rebuild().files) {
    EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten);
  }
}

TEST_F(RebuildFiltersTest, SstFileManagerMayHaveNoRoom) {
  Reopen();
  WriteFile(kRows);
  // Not before: if it sees files twice, its sums are wrong (7.8).
  const std::shared_ptr<rocksdb::SstFileManager> manager(
      rocksdb::NewSstFileManager(rocksdb::Env::Default()));
  options_.sst_file_manager = manager;
  SwitchToLinebloom();
  manager->SetMaxAllowedSpaceUsage(manager->GetTotalSize() + 1);
  const RebuildFiltersReport report = Rebuild();
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kNoSpace);
  EXPECT_FALSE(report.files[0].message.empty());
  manager->SetMaxAllowedSpaceUsage(0);
  EXPECT_EQ(Rebuild().files[0].outcome, RebuildOutcome::kRewritten);
}

// A file can move to another level without being rewritten.
TEST_F(RebuildFiltersTest, AFileThatWasMovedIsFound) {
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  bool moved = false;
  const RebuildFiltersReport report =
      Rebuild({}, [&](const RebuildFiltersProgress& progress) {
        if (progress.rewriting && !moved) {
          moved = true;
          rocksdb::CompactRangeOptions move;
          move.bottommost_level_compaction =
              rocksdb::BottommostLevelCompaction::kSkip;
          EXPECT_OK(db_->CompactRange(move, nullptr, nullptr));
        }
        return true;
      });
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
  EXPECT_GT(LiveFiles(db_.get())[0].level, 0);
  ExpectAllLinebloom();
}

// Meanwhile rows are written, flushed, compacted and read.
TEST_F(RebuildFiltersTest, ReadsAndWritesGoOn) {
  constexpr uint64_t kOld = 20'000;
  Reopen();
  WriteFileOfLevel(6, {0, kOld});
  WriteFileOfLevel(5, {0, kOld});
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.target_file_size_base = 64 << 10;
  SwitchToLinebloom();

  std::atomic<bool> done = false;
  std::atomic<uint64_t> written = kOld;
  std::thread writer([&] {
    for (uint64_t i = kOld; !done || i < 2 * kOld; i += 2) {
      ASSERT_OK(db_->Put({}, RowKey(i), RowValue(i)));
      // Older files are compacted too.
      ASSERT_OK(db_->Put({}, RowKey(i % kOld), RowValue(i % kOld)));
      written = i + 2;
      if (i % 4000 == 0) {
        ASSERT_OK(db_->Flush({}));
      }
    }
  });
  std::thread reader([&] {
    std::mt19937_64 random(1);
    while (!done) {
      const uint64_t row = random() % written.load() / 2 * 2;
      ASSERT_EQ(GetText(db_.get(), RowKey(row)), RowValue(row));
      ASSERT_EQ(GetText(db_.get(), RowKey(row + 1)), "NotFound: ");
    }
  });
  for (int run = 0; run < 5; ++run) {
    for (const FileRebuild& file : Rebuild().files) {
      EXPECT_TRUE(file.outcome == RebuildOutcome::kRewritten ||
                  file.outcome == RebuildOutcome::kGone)
          << file.message;
    }
  }
  done = true;
  writer.join();
  reader.join();
  ASSERT_OK(db_->Flush({}));
  EXPECT_TRUE(Rebuild().files.empty());
  ExpectAllLinebloom();
  for (uint64_t i = 0; i < written; i += 2) {
    ASSERT_EQ(GetText(db_.get(), RowKey(i)), RowValue(i));
  }
}

TEST_F(RebuildFiltersTest, OnlyTheColumnFamiliesThatWereAskedFor) {
  Reopen();
  WriteFile(kRows);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  ASSERT_OK(
      db_->CreateColumnFamilies(OptionsWithTable(), {"one", "two"}, &handles));
  for (auto* handle : handles) {
    for (uint64_t i = 0; i < 1000; ++i) {
      ASSERT_OK(db_->Put({}, handle, RowKey(i), "value"));
    }
    ASSERT_OK(db_->Flush({}, handle));
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
  }
  Close();

  UsePolicy(PolicyKind::kNone);
  const rocksdb::Options none = OptionsWithTable();
  UseLinebloom();
  const rocksdb::Options linebloom = OptionsWithTable();
  ASSERT_OK(rocksdb::DB::Open(
      linebloom, Path("db"),
      {{"default", linebloom}, {"one", linebloom}, {"two", none}}, &handles,
      OutPtr(&db_)));
  const auto policies = [&] {
    std::vector<std::string> names;
    for (auto* handle : handles) {
      rocksdb::TablePropertiesCollection files;
      EXPECT_OK(db_->GetPropertiesOfAllTables(handle, &files));
      EXPECT_EQ(files.size(), 1);
      names.push_back(files.begin()->second->filter_policy_name);
    }
    return names;
  };
  using Names = std::vector<std::string>;

  RebuildFiltersOptions options;
  options.column_families = {handles[1], handles[2]};
  const rocksdb::Status refused = RebuildFilters(db_.get(), options);
  EXPECT_TRUE(refused.IsInvalidArgument());
  EXPECT_NE(refused.ToString().find("'two': it has no filter policy"),
            std::string::npos)
      << refused.ToString();
  EXPECT_EQ(policies(), (Names{"bloomfilter", "bloomfilter", "bloomfilter"}));

  options.column_families = {handles[1]};
  const RebuildFiltersReport report = Rebuild(options);
  ASSERT_EQ(report.files.size(), 1);
  EXPECT_EQ(report.files[0].column_family, "one");
  EXPECT_EQ(policies(), (Names{"bloomfilter", "linebloom", "bloomfilter"}));

  EXPECT_EQ(Rebuild().files.size(), 1);  // default
  EXPECT_EQ(policies(), (Names{"linebloom", "linebloom", "bloomfilter"}));
  for (auto* handle : handles)
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
}

TEST_F(RebuildFiltersTest, SaysWhatItCannotDo) {
  const auto expect_refused = [this](const std::string& what,
                                     const RebuildFiltersOptions& options) {
    const rocksdb::Status status = RebuildFilters(db_.get(), options);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.ToString().find(what), std::string::npos)
        << status.ToString();
  };
  UsePolicy(PolicyKind::kNone);
  Reopen();
  expect_refused("'default': it has no filter policy", {});
  UseLinebloom(Line::kSolved, 0.1);
  Reopen();
  expect_refused("builds no filters: bits_per_key=0.1", {});
  UsePolicy(PolicyKind::kBuiltinBloom, 0.1);
  Reopen();
  expect_refused("builds no filters: bloomfilter:0", {});
  table_.whole_key_filtering = false;
  SwitchToLinebloom();
  expect_refused("its filters hold nothing", {});
  table_.whole_key_filtering = true;
  Reopen();
  RebuildFiltersOptions options;
  options.worst_rate = 1.5;
  expect_refused("worst_rate=1.5", options);
  options.worst_rate = 0;
  options.column_families = {nullptr};
  expect_refused("null handle", options);
}

TEST_F(RebuildFiltersTest, ADatabaseForReadingOnlyStaysAsItIs) {
  Reopen();
  WriteFile(kRows);
  Close();
  UseLinebloom();
  ASSERT_OK(rocksdb::DB::OpenForReadOnly(OptionsWithTable(), Path("db"),
                                         OutPtr(&db_)));
  EXPECT_TRUE(RebuildFilters(db_.get(), {}).IsNotSupported());
  RebuildFiltersOptions dry_run;
  dry_run.dry_run = true;
  EXPECT_EQ(Rebuild(dry_run).files.size(), 1);
}

}  // namespace
}  // namespace linebloom
