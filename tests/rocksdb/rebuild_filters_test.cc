// Old files get today's filters, and nothing else about them changes: reasons,
// damage, conflicts with compactions, too little room, and use of the database
// meanwhile. oracle/rebuild_cells.cc tests what holds for all policies and
// compaction styles, tests/table/evaluate_test.cc which filters are poor.

#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"
#include "rocksdb/metadata.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_manager.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using testing::HasSubstr;

// Reads no filter.
class FailingFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  using FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;
  rocksdb::IOStatus Read(uint64_t offset, size_t size,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* dbg) const override {
    if (size > 2000) return rocksdb::IOStatus::IOError("a bad cable");
    return FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result,
                                                scratch, dbg);
  }
};

// Has too little memory to open one file, can't read the filter of one, and
// reports a given amount of free space, and none in one folder.
class SmallFileSystem : public rocksdb::FileSystemWrapper {
 public:
  SmallFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "test.Small"; }
  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* dbg) override {
    throws += path == too_large ? 1 : 0;
    if (path == too_large) throw std::bad_alloc();
    const rocksdb::IOStatus status =
        FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
    if (path == broken) *file = std::make_unique<FailingFile>(std::move(*file));
    return status;
  }
  rocksdb::IOStatus GetFreeSpace(const std::string& path,
                                 const rocksdb::IOOptions& /*options*/,
                                 uint64_t* bytes,
                                 rocksdb::IODebugContext* /*dbg*/) override {
    *bytes = path == full ? 0 : free.value_or(0);
    return free.has_value() ? rocksdb::IOStatus::OK()
                            : rocksdb::IOStatus::NotSupported("GetFreeSpace");
  }

  // Set and read by the thread that rebuilds.
  std::string too_large;
  int throws = 0;
  std::string broken;
  std::string full;
  std::optional<uint64_t> free = uint64_t{1} << 40;
};

class RebuildFiltersTest : public DbTest {
 protected:
  static constexpr Rows kRows{0, 4000};

  RebuildFiltersTest() {
    options_.env = env_.get();
    UsePolicy(kBloom);
  }
  ~RebuildFiltersTest() override { Close(); }

  // Opens the database with linebloom's policy from now on.
  void SwitchToLinebloom(const FilterPolicyOptions& policy = {}) {
    UseOptions(policy);
    Reopen();
  }

  RebuildFiltersReport Rebuild(const RebuildFiltersOptions& options = {},
                               const RebuildFiltersCallback& progress = {}) {
    return linebloom::Rebuild(db_.get(), options, progress);
  }

  // What files would be rewritten.
  RebuildFiltersReport Plan() {
    RebuildFiltersOptions options;
    options.dry_run = true;
    RebuildFiltersReport report = Rebuild(options);
    EXPECT_EQ(report.bytes_rewritten, 0);
    return report;
  }

  std::string PathOfFirst() {
    const rocksdb::LiveFileMetaData file = Files()[0];
    return file.directory + "/" + file.relative_filename;
  }

  // Of each file, upper levels first.
  std::vector<std::string> Compressions() {
    std::vector<std::string> names;
    for (const auto& file : AllProperties(db_.get())) {
      names.push_back(file->compression_name);
    }
    return names;
  }

  void ExpectAllLinebloom() {
    for (const auto& file : AllProperties(db_.get())) {
      EXPECT_EQ(file->filter_policy_name, "linebloom");
    }
  }

  void ExpectNothingToRebuild() {
    const RebuildFiltersReport report = Rebuild();
    EXPECT_TRUE(report.files.empty());
    EXPECT_EQ(report.files_no_better, 0);
  }

  // Expects that `files` files are rewritten for `reason`, and none a second
  // time. Returns the first.
  FileRebuild ExpectRebuilt(size_t files, RebuildReason reason) {
    const std::vector<FileShape> before = ShapesOf(db_.get());
    const RebuildFiltersReport report = Rebuild();
    EXPECT_EQ(report.files.size(), files);
    uint64_t bytes = 0;
    for (const FileRebuild& file : report.files) {
      EXPECT_EQ(file.reason, reason);
      EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten) << file.message;
      bytes += file.bytes;
    }
    EXPECT_EQ(report.bytes_rewritten, bytes);
    EXPECT_EQ(ShapesOf(db_.get()), before);
    ExpectNothingToRebuild();
    return report.files.at(0);
  }

  const std::shared_ptr<SmallFileSystem> file_system_ =
      std::make_shared<SmallFileSystem>();
  const std::unique_ptr<rocksdb::Env> env_ =
      rocksdb::NewCompositeEnv(file_system_);
};

// Filters of linebloom 0.2.0 whose partitions without prefixes have 0 bytes:
// MultiGet doesn't find the rows there until they are rebuilt.
TEST_F(RebuildFiltersTest, PartitionsOfNoBytesAreDamage) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  table_.whole_key_filtering = false;
  UsePartitions(128);
  table_.block_size = 64;
  Reopen();
  ASSERT_OK(db_->IngestExternalFile(
      {LINEBLOOM_GOLDEN_DIR "/sst/empty_partitions.sst"}, {}));
#if ROCKSDB_IS_AT_LEAST(9, 6)
  // RocksDB's own filters have such partitions again, once they are built.
  EXPECT_EQ(Rebuild().files.size(), 1);
  const RebuildFiltersReport of_bloom = Plan();
  EXPECT_TRUE(of_bloom.files.empty());
  ASSERT_EQ(of_bloom.unreadable.size(), 1);
  EXPECT_THAT(of_bloom.unreadable[0], HasSubstr("of 0 bytes"));
#endif
  SwitchToLinebloom();
  ExpectRebuilt(1, RebuildReason::kDamagedFilter);
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}));
  rows->SeekToFirst();
  const std::vector<std::string> keys = KeysFrom(rows.get());
  ASSERT_EQ(keys.size(), 170);
  const std::vector<std::string> values = MultiGetTexts(db_.get(), keys);
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(values[i], "v" + keys[i]);
}

// evaluate_test.cc has all reasons.
TEST_F(RebuildFiltersTest, OtherPrefixesOfTheFamilyAreAReason) {
  SwitchToLinebloom();
  WriteFile(kRows);
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  Reopen();
  ExpectRebuilt(1, RebuildReason::kOtherPrefixes);
  ExpectFilterWorks(kRows);
}

// RocksDB writes files with nothing below them without a filter.
TEST_F(RebuildFiltersTest, FilesThatGetNoFilterStay) {
  options_.optimize_filters_for_hits = true;
  UsePolicy(kNone);
  Reopen();
  WriteFile(kRows, 6);
  WriteFile({kRows.end - 2, kRows.end}, 3);  // the last of the rows below
  WriteFile({6000, 8000}, 3);                // nothing below it
  WriteFile({10'000, 12'000});               // nor below this one
  WriteFile({10'000, 12'000});               // but below this
  std::set<std::pair<int, uint64_t>> expected = {{3, 1}, {0, 1000}};
  SwitchToLinebloom();
  const std::string newest = Files()[0].name;
  for (const FileRebuild& file : Rebuild().files) {
    EXPECT_EQ(file.reason, RebuildReason::kNoFilter);
    EXPECT_EQ(expected.erase({file.level, file.rows}), 1);
    EXPECT_EQ(file.level == 0, file.path.ends_with(newest));
  }
  EXPECT_TRUE(expected.empty());
  ExpectNothingToRebuild();
}

// A compaction may have removed it. The database has it open.
TEST_F(RebuildFiltersTest, AFileThatIsGoneIsLeftOut) {
  Reopen();
  WriteFile(kRows);
  WriteFile(kRows);
  SwitchToLinebloom();
  std::filesystem::remove(PathOfFirst());
  const RebuildFiltersReport report = Plan();
  EXPECT_EQ(report.files_examined, 1);
  EXPECT_EQ(report.files.size(), 1);
  EXPECT_TRUE(report.unreadable.empty());
}

// Changes the footer of `path`, of format_version 1 to 5: the index gets a size
// of 2^50 bytes. RocksDB allocates what the footer says, and bad_alloc would
// pass through it into the application.
void EnlargeIndex(const std::string& path) {
  std::string bytes = ReadFileBytes(path);
  // After the type of the checksums, three varints: the metaindex, and where
  // the index begins.
  size_t at = bytes.size() - 52;
  for (int varints = 0; varints < 3; ++at) varints += (bytes[at] & 0x80) == 0;
  bytes.replace(at, 8, "\x80\x80\x80\x80\x80\x80\x80\x02");
  WriteFileBytes(path, bytes);
}

// One of two files is damaged or can't be read: while its table is open, or
// after the plan was made, from which hours may pass to its turn. It stays and
// is named, and the other one is rewritten. transcripts/migrate.txt has damage
// from before the database opens.
TEST_F(RebuildFiltersTest, ADamagedFileStaysAndIsNamed) {
  struct Case {
    bool is_planned;
    std::function<void(const std::string& path)> damage;
    const char* message;
  };
  const Case cases[] = {
      {false, EnlargeIndex, "index: no block of "},
      {false, [this](const auto& path) { file_system_->broken = path; },
       "a bad cable"},
      {true, EnlargeIndex, "index: no block of "},
      {true, [this](const auto& path) { file_system_->too_large = path; },
       "bad_alloc"},
  };
  table_.format_version = 5;  // later footers have a checksum
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases);
    UsePolicy(kBloom);
    DestroyAndReopen();
    WriteFile({0, 4000}, 6);
    WriteFile({5000, 9000}, 6);
    const std::string path = PathOfFirst();
    SwitchToLinebloom();
    if (!c.is_planned) c.damage(path);
    RebuildFiltersOptions options;
    options.check_data_blocks = !c.is_planned;
    const RebuildFiltersReport report =
        Rebuild(options, [&](const RebuildFiltersProgress& progress) {
          if (progress.rewriting && c.is_planned) c.damage(path);
          return true;
        });
    EXPECT_EQ(report.unreadable.empty(), c.is_planned);
    for (const std::string& problem : report.unreadable) {
      EXPECT_THAT(problem, AllOf(HasSubstr(path), HasSubstr(c.message)));
    }
    EXPECT_EQ(report.files.size(), c.is_planned ? 2 : 1);
    for (const FileRebuild& file : report.files) {
      const bool is_damaged = file.path == path;
      EXPECT_EQ(file.outcome, is_damaged ? RebuildOutcome::kDamaged
                                         : RebuildOutcome::kRewritten);
      EXPECT_THAT(file.message, HasSubstr(is_damaged ? c.message : ""));
    }
    ASSERT_OK(db_->Put({}, "another", "row"));
    Flush();
    EXPECT_EQ(GetText(db_.get(), RowKey(5000)), RowValue(5000));
    file_system_->too_large.clear();
    file_system_->broken.clear();
  }
}

// The listener reads the properties of older files, in RocksDB's threads.
TEST_F(RebuildFiltersTest, TheListenerSurvivesAFileTooLargeToOpen) {
  options_.listeners = {NewLevelSizeListener()};
  Reopen();
  WriteFile(kRows, 6);
  SwitchToLinebloom({.level_aware = true});
  file_system_->too_large = PathOfFirst();
  ASSERT_OK(db_->Put({}, "another", "row"));
  Flush();
  EXPECT_GT(file_system_->throws, 0);
  file_system_->too_large.clear();
  ExpectRebuilt(1, RebuildReason::kForeignFilter);
}

// Files stay on their levels when dynamic levels are turned on later. Those
// above the base level, which RocksDB 7.8 doesn't have, are compressed as level
// 0 is.
TEST_F(RebuildFiltersTest, ALevelKeepsItsCompression) {
  options_.level_compaction_dynamic_level_bytes = false;
  options_.compression_per_level = {rocksdb::kNoCompression,
                                    rocksdb::kZlibCompression};
  options_.bottommost_compression = rocksdb::kLZ4Compression;
  Reopen();
  WriteFile(kRows, 6);
  WriteFile(kRows, 3);
  WriteFile({5000, 9000});
  std::vector<std::string> names = Compressions();
  ASSERT_EQ(std::set(names.begin(), names.end()).size(), 3);
  SwitchToLinebloom();
  ExpectRebuilt(3, RebuildReason::kForeignFilter);
  EXPECT_EQ(Compressions(), names);
  options_.level_compaction_dynamic_level_bytes = true;
  SwitchToLinebloom({14});
  ExpectRebuilt(3, RebuildReason::kWorseRate);
  uint64_t base = 0;
  ASSERT_TRUE(db_->GetIntProperty(rocksdb::DB::Properties::kBaseLevel, &base));
  if (base > 3) names[1] = names[0];
  EXPECT_EQ(Compressions(), names);
}

// And needs room there. It stays one file, despite subcompactions.
TEST_F(RebuildFiltersTest, AFileKeepsItsPath) {
  options_.db_paths = {{Path("unused"), 1 << 30}};
  options_.cf_paths = {{Path("db"), 1 << 30}, {Path("slow"), 1 << 30}};
  Reopen();
  for (const uint32_t path : {1, 0}) {
    WriteFile({path * 50'000, path * 50'000 + 40'000});
    ASSERT_OK(
        db_->CompactFiles({}, {PathOfFirst()}, 6, static_cast<int>(path)));
  }
  options_.target_file_size_base = 64 << 10;
  options_.max_subcompactions = 4;
  SwitchToLinebloom();
  file_system_->full = Path("slow");
  const RebuildFiltersReport plan = Plan();
  EXPECT_EQ(plan.files.size(), 2);
  for (const FileRebuild& file : plan.files) {
    const bool is_full = file.path.find("/slow/") != std::string::npos;
    EXPECT_EQ(file.outcome,
              is_full ? RebuildOutcome::kNoSpace : RebuildOutcome::kPlanned);
  }
  file_system_->full.clear();
  ExpectRebuilt(2, RebuildReason::kForeignFilter);
}

TEST_F(RebuildFiltersTest, SavesTheMostReadsForItsBytesFirst) {
  Reopen();
  WriteFile({0, 40'000}, 6);
  WriteFile({0, 4000}, 5);
  WriteFile({5000, 35'000}, 5);
  WriteFile({0, 400});
  WriteFile({400, 800});
  SwitchToLinebloom();
  const RebuildFiltersReport plan = Plan();
  ASSERT_EQ(plan.files.size(), 5);
  EXPECT_EQ(plan.files.front().level, 0);
  EXPECT_EQ(plan.files.back().level, 6);
  double saved = 0;
  double reads = 0;
  for (const FileRebuild& file : plan.files) {
    EXPECT_EQ(file.outcome, RebuildOutcome::kPlanned);
    EXPECT_LT(file.rate_after, file.rate);
    saved += file.saved_reads;
    // Both files of level 0 are probed, and one of the 17,000 rows in level 5.
    reads += file.rate * (file.level == 5 ? file.rows / 17'000.0 : 1);
  }
  ASSERT_EQ(plan.reads.size(), 1);
  EXPECT_NEAR(plan.reads[0].before, reads, 1e-12);
  EXPECT_NEAR(plan.reads[0].before - plan.reads[0].after, saved, 1e-12);
}

TEST_F(RebuildFiltersTest, StopsWhenToldToAndGoesOnLater) {
  Reopen();
  WriteFile({0, 4000}, 6);
  WriteFile({10'000, 14'000}, 6);
  SwitchToLinebloom();
  EXPECT_TRUE(RebuildFilters(db_.get(), {}, [](const auto&) {
                return false;
              }).IsIncomplete());
  for (const size_t files : {2, 1}) {
    RebuildFiltersReport report;
    const rocksdb::Status status = RebuildFilters(
        db_.get(), {},
        [](const RebuildFiltersProgress& progress) {
          return !progress.rewriting || progress.files_done == 0;
        },
        &report);
    EXPECT_EQ(status.IsIncomplete(), files > 1) << status.ToString();
    ASSERT_EQ(report.files.size(), files);
    EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
    EXPECT_EQ(report.files.back().outcome, files > 1
                                               ? RebuildOutcome::kPlanned
                                               : RebuildOutcome::kRewritten);
  }
  ExpectAllLinebloom();
  ExpectNothingToRebuild();
}

// In its order; no filter is read again. migrate.txt has several families.
TEST_F(RebuildFiltersTest, RewritesTheFilesOfAPlan) {
  Reopen();
  for (const uint64_t begin : {0, 10'000, 20'000}) {
    WriteFile({begin, begin + 4000}, 6);
  }
  SwitchToLinebloom();
  RebuildFiltersOptions options;
  options.files = Plan().files;
  ASSERT_EQ(options.files.size(), 3);
  std::ranges::reverse(options.files);
  options.files.back().path += ".gone";
  const RebuildFiltersReport report =
      Rebuild(options, [](const RebuildFiltersProgress& progress) {
        return progress.rewriting;
      });
  ASSERT_EQ(report.files.size(), 3);
  EXPECT_EQ(report.files[0].path, options.files[0].path);
  EXPECT_EQ(report.files[0].outcome, RebuildOutcome::kRewritten);
  EXPECT_EQ(report.files[1].outcome, RebuildOutcome::kRewritten);
  EXPECT_EQ(report.files[2].outcome, RebuildOutcome::kGone);
  EXPECT_EQ(report.files_examined, 0);
}

// CompactFiles() writes in the calling thread too.
TEST_F(RebuildFiltersTest, WhatTheThreadWritesLaterIsOfTheTreeAsItIsThen) {
  Reopen();
  WriteFile(kRows, 6);
  options_.listeners = {NewLevelSizeListener()};
  SwitchToLinebloom({.bits_per_key = 10, .level_aware = true});
  ASSERT_EQ(Rebuild().files.size(), 1);
  // A small run, which nobody knew then, and a flush, which has files listed.
  WriteFile({0, 400}, 5);
  WriteFile({0, 400});
  ASSERT_OK(db_->CompactFiles({}, {Files()[1].name}, 5));
  EXPECT_GT(8.0 * AllProperties(db_.get())[1]->filter_size / 200, 12);
}

// RocksDB compacts neighbors together if snapshots keep a key that they share.
TEST_F(RebuildFiltersTest, NeighboursWithACommonKeyAreRewrittenOnce) {
  UsePolicy(kNone);
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
  ASSERT_OK(db_->CompactFiles(small_files, {Files()[0].name}, 6));
  for (const auto* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
  const size_t files = Files().size();
  if (files == 1) GTEST_SKIP() << "this RocksDB keeps versions together";
  SwitchToLinebloom();
  const RebuildFiltersReport report = Rebuild();
  EXPECT_EQ(report.files.size(), files);
  for (const FileRebuild& file : report.files) {
    EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten);
  }
  EXPECT_LT(Files().size(), files);
  EXPECT_EQ(GetText(db_.get(), RowKey(50)), std::string(100'000, 'd'));
  EXPECT_EQ(GetText(db_.get(), RowKey(98)), RowValue(98));
  ExpectNothingToRebuild();
}

// Holds compactions at their start.
class Barrier : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    begun.test_and_set();
    begun.notify_all();
    ended.wait();
  }
  std::atomic_flag begun;
  std::latch ended{1};
};

// A compaction of all files holds them until RebuildFilters has met one that is
// busy; then it ends well or without a result. Or it holds them for longer than
// RebuildFilters tries.
TEST_F(RebuildFiltersTest, AFileThatIsBeingCompacted) {
  for (const RebuildOutcome outcome :
       {RebuildOutcome::kGone, RebuildOutcome::kRewritten,
        RebuildOutcome::kBusy}) {
    const bool lasts = outcome == RebuildOutcome::kBusy;
    const bool ends_well = outcome != RebuildOutcome::kRewritten;
    options_.listeners.clear();
    UsePolicy(kBloom);
    DestroyAndReopen();
    WriteFile(kRows);
    const auto barrier = std::make_shared<Barrier>();
    options_.listeners = {barrier};
    SwitchToLinebloom();
    std::atomic<bool> canceled = false;
    std::thread compaction([&] {
      rocksdb::CompactRangeOptions all = RewriteAll();
      all.canceled = &canceled;
      const rocksdb::Status status = db_->CompactRange(all, nullptr, nullptr);
      EXPECT_EQ(status.ok(), ends_well) << status.ToString();
    });
    barrier->begun.wait(false);
    int calls = 0;
    const RebuildFiltersReport report =
        Rebuild({}, [&](const RebuildFiltersProgress& progress) {
          // One call before the first attempt, the next during the pause after
          // it.
          if (progress.rewriting && ++calls == 2 && !lasts) {
            canceled = !ends_well;
            barrier->ended.count_down();
            compaction.join();
          }
          return true;
        });
    EXPECT_GE(calls, 2);
    if (lasts) {
      barrier->ended.count_down();
      compaction.join();
    }
    ASSERT_EQ(report.files.size(), 1);
    EXPECT_EQ(report.files[0].outcome, outcome);
    EXPECT_NE(report.files[0].message.empty(), lasts);
    EXPECT_EQ(report.bytes_rewritten == 0, ends_well);
    ExpectAllLinebloom();
  }
}

// A file can move to another level without being rewritten.
TEST_F(RebuildFiltersTest, AFileThatWasMovedIsFound) {
  Reopen();
  WriteFile(kRows);
  SwitchToLinebloom();
  const RebuildFiltersReport report =
      Rebuild({}, [this](const RebuildFiltersProgress& progress) {
        if (progress.rewriting && Files()[0].level == 0) {
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
  EXPECT_GT(Files()[0].level, 0);
  ExpectAllLinebloom();
}

TEST_F(RebuildFiltersTest, AFileWithoutRoomIsLeftOut) {
  constexpr uint64_t kWriteBuffers = 3 << 20;
  options_.write_buffer_size = 1 << 20;
  options_.max_write_buffer_number = 3;
  Reopen();
  WriteFile({0, 40'000}, 6);
  const uint64_t size = Files()[0].size;
  WriteFile({0, 400}, 5);
  SwitchToLinebloom();
  const uint64_t for_file = size + (size + 9) / 10;
  const auto expect = [](const RebuildFiltersReport& report,
                         RebuildOutcome of_small, RebuildOutcome of_large) {
    ASSERT_EQ(report.files.size(), 2);
    for (const FileRebuild& file : report.files) {
      EXPECT_EQ(file.outcome, file.level == 6 ? of_large : of_small);
      EXPECT_EQ(file.message.empty(), file.outcome != RebuildOutcome::kNoSpace);
    }
  };
  file_system_->free = std::nullopt;  // is taken for enough
  expect(Plan(), RebuildOutcome::kPlanned, RebuildOutcome::kPlanned);
  file_system_->free = 2 * kWriteBuffers + for_file - 1;
  expect(Plan(), RebuildOutcome::kPlanned, RebuildOutcome::kNoSpace);
  const RebuildFiltersReport report = Rebuild();
  expect(report, RebuildOutcome::kRewritten, RebuildOutcome::kNoSpace);
  // The buffers may have a limit together.
  options_.db_write_buffer_size = 1 << 20;
  Reopen();
  file_system_->free = (2 << 20) + for_file;
  EXPECT_EQ(Rebuild().bytes_rewritten, report.files.at(1).bytes);
  ExpectAllLinebloom();
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

// Meanwhile a thread writes and flushes, two compact, and two read partitions
// that don't stay in the cache.
//
// ThreadSanitizer doesn't run this: in the distribution's RocksDB, which is
// built without it, it reports memtables and log files that threads share by
// atomics.
TEST_F(RebuildFiltersTest, ReadsAndWritesGoOn) {
  constexpr Rows kAll{0, 40'000};
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.target_file_size_base = 64 << 10;
  options_.max_bytes_for_level_base = 256 << 10;
  options_.max_background_jobs = 4;
  options_.max_subcompactions = 2;
  UsePartitions(512);
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(64 << 10);
  Reopen();
  for (uint64_t begin = 0; begin < kAll.end; begin += kAll.end / 5) {
    WriteFile({begin, begin + kAll.end / 5});
  }
  SwitchToLinebloom();
  std::atomic<uint64_t> written = 0;
  const auto write = [&] {
    while (written < kAll.present()) {
      // Spreads each thousand over the whole range.
      const uint64_t row = written * 7919 % kAll.present() * 2;
      EXPECT_OK(db_->Put({}, RowKey(row), RowValue(row)));
      if (++written % 2000 == 0) Flush();
    }
  };
  const auto read = [&](unsigned seed) {
    std::mt19937_64 random(seed);
    while (written < kAll.present()) {
      std::vector<std::string> keys;
      for (uint64_t i = 0; i < 40; ++i) {
        keys.push_back(RowKey(random() % kAll.present() * 2 + i % 2));
      }
      const std::vector<std::string> found = MultiGetTexts(db_.get(), keys);
      for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(found[i] == "NotFound: ", i % 2 != 0) << keys[i];
        EXPECT_EQ(GetText(db_.get(), keys[i]), found[i]);
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(write);
  for (const unsigned seed : {1, 2}) threads.emplace_back(read, seed);
  do {
    for (const FileRebuild& file : Rebuild().files) {
      EXPECT_TRUE(file.outcome == RebuildOutcome::kRewritten ||
                  file.outcome == RebuildOutcome::kGone)
          << file.message;
    }
  } while (written < kAll.present());
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
  EXPECT_TRUE(Rebuild().files.empty());
  ExpectAllLinebloom();
  CompactAll();
  ExpectRows(kAll);
}

// transcripts/migrate.txt has more.
TEST_F(RebuildFiltersTest, SaysWhatItCannotDo) {
  const auto expect_refused = [this](const std::string& what,
                                     const RebuildFiltersOptions& options) {
    const rocksdb::Status status = RebuildFilters(db_.get(), options);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(what));
  };
  UsePolicy(kTooFewBloomBits);
  Reopen();
  expect_refused("builds no filters: bloomfilter:0", {});
  table_.whole_key_filtering = false;
  SwitchToLinebloom();
  expect_refused("its filters hold nothing", {});
  table_.whole_key_filtering = true;
  Reopen();
  expect_refused("null handle", {.column_families = {nullptr}});
}

TEST_F(RebuildFiltersTest, ADatabaseForReadingOnlyStaysAsItIs) {
  Reopen();
  WriteFile(kRows);
  Close();
  UseOptions({});
  ASSERT_OK(rocksdb::DB::OpenForReadOnly(OptionsWithTable(), Path("db"),
                                         OutPtr(&db_)));
  EXPECT_TRUE(RebuildFilters(db_.get(), {}).IsNotSupported());
  EXPECT_EQ(Plan().files.size(), 1);
}

}  // namespace
}  // namespace linebloom
