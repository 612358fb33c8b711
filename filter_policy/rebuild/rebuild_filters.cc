#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/rebuild/judgement.h"
#include "filter_policy/rebuild/pace.h"
#include "filter_policy/rebuild/plan.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;
using Clock = std::chrono::steady_clock;

// How often to try a file that is being compacted. Pauses double, 13 seconds in
// all, in addition to the time spent on other files.
constexpr int kAttempts = 8;
constexpr std::chrono::duration<double> kFirstPause(0.1);

Status ReadFamilies(rocksdb::DB* db, const RebuildFiltersOptions& options,
                    std::vector<Family>* families) {
  std::vector<ColumnFamilyHandle*> handles = options.column_families;
  if (handles.empty()) handles = {db->DefaultColumnFamily()};
  for (ColumnFamilyHandle* handle : handles) {
    if (handle == nullptr) {
      return Status::InvalidArgument(
          "linebloom: column_families holds a null handle");
    }
    Family& family = families->emplace_back();
    family.name = handle->GetName();
    family.handle = handle;
    family.options = db->GetOptions(handle);
    family.worst_rate = options.worst_rate;
    RETURN_IF_ERROR(ReadPolicy(&family));
  }
  return Status::OK();
}

// CompactFiles() fails badly in a CompactedDBImpl, which OpenForReadOnly() may
// return (seen in 7.8 and 9.10). All read-only databases reject
// IngestExternalFile(), which without files does nothing in any other.
bool IsReadOnly(rocksdb::DB* db) {
  return db->IngestExternalFile({}, rocksdb::IngestExternalFileOptions())
      .IsNotSupported();
}

Status ValidateWorstRate(double worst_rate) {
  if (worst_rate >= 0 && worst_rate <= 1) return Status::OK();
  return Status::InvalidArgument(
      "linebloom: worst_rate=" + std::to_string(worst_rate),
      "must be from 0 to 1");
}

// RocksDB doesn't notify listeners of CompactFiles() (7.8 to 9.11), so in a
// database just opened the listener would not know the sizes of levels. And it
// takes the sampled keys only when it looks.
void LetListenerLook(rocksdb::DB* db, std::vector<Family>* families) {
  const rocksdb::DBOptions options = db->GetDBOptions();
  rocksdb::EventListener* const listener = FindLevelSizeListener(options);
  if (listener == nullptr) return;
  listener->OnExternalFileIngested(db, {});
  const HeatSource* const source = HeatSourceOf(listener);
  if (source == nullptr) return;
  for (Family& family : *families) {
    family.heat = source->HeatOf(db->GetName(), family.name);
  }
}

// The index of `directory` among the column family's paths. A rewritten file
// stays in its directory.
int PathId(const rocksdb::Options& options, const std::string& directory) {
  const auto& paths =
      options.cf_paths.empty() ? options.db_paths : options.cf_paths;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].path == directory) return static_cast<int>(i);
  }
  return -1;  // RocksDB takes the only one, or fails if there are several
}

// RocksDB indexes compression_per_level from the base level on and asserts that
// no file is above it (seen in 9.10), but such files exist if
// level_compaction_dynamic_level_bytes was turned on later.
rocksdb::CompressionType CompressionOf(rocksdb::DB* db, const Family& family,
                                       int level) {
  const auto& per_level = family.options.compression_per_level;
  uint64_t base_level = 0;
  if (level > 0 && !per_level.empty() &&
      db->GetIntProperty(family.handle, rocksdb::DB::Properties::kBaseLevel,
                         &base_level) &&
      static_cast<uint64_t>(level) < base_level) {
    return per_level[0];
  }
  return rocksdb::kDisableCompressionOption;
}

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// A new filter may be larger than the old one.
constexpr double kGrowth = 1.1;

// More than any disk holds, and far from overflowing.
constexpr double kMaxBytes = 1e18;

double WriteBuffersOf(const std::vector<Family>& families) {
  double bytes = 0;
  double limit = kMaxBytes;
  for (const Family& family : families) {
    const rocksdb::Options& options = family.options;
    bytes += static_cast<double>(options.write_buffer_size) *
             std::max(options.max_write_buffer_number, 1);
    if (options.db_write_buffer_size > 0) {
      limit = static_cast<double>(options.db_write_buffer_size);
    }
  }
  return std::min(bytes, limit);
}

// How many bytes must stay free for the application's writes: the write buffers
// of `families`, or `in_memory`, which all of the database hold now, once as
// files and once as write-ahead logs.
uint64_t ReserveForWrites(const std::vector<Family>& families,
                          uint64_t in_memory) {
  const double buffers =
      std::max(WriteBuffersOf(families), static_cast<double>(in_memory));
  return static_cast<uint64_t>(std::min(2 * buffers, kMaxBytes));
}

// Returns NoSpace, with all numbers, if the path of `file` has less free space
// than 1.1 times the file's `bytes` plus `reserve`. Returns OK if the file
// system can't report free space.
Status CheckRoom(rocksdb::FileSystem* file_system, const std::string& file,
                 uint64_t bytes, uint64_t reserve) {
  const std::string folder = DirectoryOf(file);
  uint64_t free = 0;
  const rocksdb::IOStatus asked = file_system->GetFreeSpace(
      folder, rocksdb::IOOptions(), &free, /*dbg=*/nullptr);
  if (!asked.ok()) return Status::OK();
  const auto for_file =
      static_cast<uint64_t>(std::ceil(kGrowth * static_cast<double>(bytes)));
  if (free >= for_file + reserve) return Status::OK();
  return Status::NoSpace(absl::StrCat("linebloom: '", folder, "' has ", free,
                                      " bytes free, less than ", for_file,
                                      " for the new file and "),
                         absl::StrCat(reserve, " for write buffers and logs"));
}

Status CheckRoomOf(rocksdb::DB* db, const std::vector<Family>& families,
                   const FileRebuild& file) {
  uint64_t in_memory = 0;  // stays 0 if RocksDB doesn't know
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables,
                               &in_memory);
  return CheckRoom(db->GetFileSystem(), file.path, file.bytes,
                   ReserveForWrites(families, in_memory));
}

// For dry runs.
void MarkFilesWithoutRoom(rocksdb::DB* db, const std::vector<Family>& families,
                          RebuildFiltersReport* report) {
  for (FileRebuild& file : report->files) {
    const Status room = CheckRoomOf(db, families, file);
    if (room.ok()) continue;
    file.outcome = RebuildOutcome::kNoSpace;
    file.message = room.ToString();
  }
}

constexpr size_t kReadahead = 2 << 20;

// Keeps the check out of the application's statistics and block cache.
rocksdb::Options ReaderOptions(rocksdb::Options options) {
  rocksdb::BlockBasedTableOptions table = *TableOptionsOf(options);
  table.filter_policy = nullptr;
  table.no_block_cache = true;
  table.block_cache = nullptr;
  table.cache_index_and_filter_blocks = false;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = nullptr;
  return options;
}

Status ReadAllRows(const rocksdb::Options& options,
                   rocksdb::SstFileReader* reader) {
  rocksdb::ReadOptions read;
  read.readahead_size = kReadahead;
  read.total_order_seek = true;
  read.fill_cache = false;
  // If the comparator has timestamps, this reads rows of all times.
  const std::string latest(options.comparator->timestamp_size(), '\xff');
  const rocksdb::Slice timestamp = latest;
  if (!latest.empty()) read.timestamp = &timestamp;
  const std::unique_ptr<rocksdb::Iterator> row(reader->NewIterator(read));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
  }
  return row->status();
}

// Checks all blocks that a compaction would read, the filter only if it isn't
// damaged, because RocksDB's own check covers all blocks or none. bad_alloc
// passes through RocksDB.
Status CheckDataBlocks(const rocksdb::Options& options, const std::string& path,
                       bool filter_block_is_damaged) {
  const rocksdb::Options reader_options = ReaderOptions(options);
  rocksdb::SstFileReader reader(reader_options);
  RETURN_IF_ERROR(reader.Open(path));
  if (filter_block_is_damaged) return ReadAllRows(reader_options, &reader);
  rocksdb::ReadOptions read;
  read.readahead_size = kReadahead;
  return reader.VerifyChecksum(read);
}

// Returns an error if a compaction should not read the file at `path`.
Status CheckFile(rocksdb::DB* db, const rocksdb::Options& options,
                 const std::string& path, const PlannedFile& planned,
                 bool check_data_blocks) {
  try {
    const Status footer = CheckFooter(db->GetFileSystem(), path);
    if (!footer.ok() || !check_data_blocks) return footer;
    return CheckDataBlocks(options, path, planned.filter_block_is_damaged);
  } catch (const std::bad_alloc& error) {
    return Status::MemoryLimit(
        path, absl::StrCat("too little memory to check it, or a damaged size: ",
                           error.what()));
  }
}

class Rewriter {
 public:
  Rewriter(rocksdb::DB* db, const std::vector<Family>& families,
           const RebuildFiltersOptions& options,
           const RebuildFiltersCallback& progress,
           std::vector<PlannedFile> plan, RebuildFiltersReport* report)
      : db_(db),
        families_(families),
        options_(options),
        progress_(progress),
        plan_(std::move(plan)),
        report_(report) {
    so_far_.rewriting = true;
    so_far_.files = plan_.size();
    for (const FileRebuild& file : report->files) so_far_.bytes += file.bytes;
  }

  Status Run() {
    std::vector<size_t> files;
    for (size_t i = 0; i < plan_.size(); ++i) files.push_back(i);
    std::chrono::duration<double> pause = kFirstPause;
    for (int attempt = 1;; ++attempt, pause *= 2) {
      RETURN_IF_ERROR(Round(files));
      files = std::exchange(again_, {});
      if (files.empty()) return Status::OK();
      if (attempt == kAttempts) break;
      RETURN_IF_ERROR(Pause(pause));
    }
    for (const size_t file : files) {
      End(file, RebuildOutcome::kBusy, report_->files[file].message);
    }
    return Status::OK();
  }

 private:
  bool GoOn() { return !progress_ || progress_(so_far_); }
  Status Pause(std::chrono::duration<double> pause) {
    return SleepWhile(pause, [this] { return GoOn(); })
               ? Status::OK()
               : Status::Incomplete("linebloom: cancelled");
  }

  Status Round(const std::vector<size_t>& files) {
    for (const size_t file : files) {
      // It may have been rewritten along with a neighbour.
      if (report_->files[file].outcome != RebuildOutcome::kPlanned) continue;
      if (!GoOn()) return Status::Incomplete("linebloom: cancelled");
      RETURN_IF_ERROR(Rewrite(file));
      RETURN_IF_ERROR(
          Pause(PauseAfter(report_->bytes_rewritten, Clock::now() - start_,
                           options_.bytes_per_second)));
    }
    return Status::OK();
  }

  Status Rewrite(size_t file) {
    const FileRebuild& rebuild = report_->files[file];
    const PlannedFile& planned = plan_[file];
    // A compaction that fills the disk stops all writes to the database.
    const Status room = CheckRoomOf(db_, families_, rebuild);
    if (!room.ok()) {
      End(file, RebuildOutcome::kNoSpace, room.ToString());
      return Status::OK();
    }
    const Status sound =
        CheckFile(db_, families_[planned.family].options, rebuild.path, planned,
                  options_.check_data_blocks);
    // Files that are gone are noticed below.
    if (!sound.ok() && !sound.IsNotFound() && !sound.IsPathNotFound()) {
      End(file, RebuildOutcome::kDamaged, sound.ToString());
      return Status::OK();
    }
    rocksdb::CompactionJobInfo job;
    const Status status = Compact(file, &job);
    if (status.ok()) {
      TakeInputs(file, job);
    } else if (status.IsCompactionTooLarge()) {
      End(file, RebuildOutcome::kNoSpace, status.ToString());
    } else if (status.IsColumnFamilyDropped()) {
      End(file, RebuildOutcome::kGone, "");
    } else if (status.IsAborted() || status.IsInvalidArgument()) {
      TakeConflict(file, status);
    } else {
      return status;
    }
    return Status::OK();
  }

  Status Compact(size_t file, rocksdb::CompactionJobInfo* job) {
    const PlannedFile& planned = plan_[file];
    const Family& family = families_[planned.family];
    const std::string& path = report_->files[file].path;
    rocksdb::CompactionOptions compaction;
    // The output size is unlimited by default, so one file becomes one file.
    compaction.compression = CompressionOf(db_, family, planned.level);
    compaction.max_subcompactions = 1;
    return db_->CompactFiles(compaction, family.handle, {path}, planned.level,
                             PathId(family.options, DirectoryOf(path)), nullptr,
                             job);
  }

  // RocksDB also rewrites neighbours with other versions of the file's first or
  // last key.
  void TakeInputs(size_t file, const rocksdb::CompactionJobInfo& job) {
    for (const rocksdb::CompactionFileInfo& input : job.input_file_infos) {
      if (input.file_number == plan_[file].number) continue;
      for (size_t i = 0; i < plan_.size(); ++i) {
        if (plan_[i].family == plan_[file].family &&
            plan_[i].number == input.file_number &&
            report_->files[i].outcome == RebuildOutcome::kPlanned) {
          End(i, RebuildOutcome::kRewritten, "");
        }
      }
    }
    End(file, RebuildOutcome::kRewritten, "");
  }

  // RocksDB returns the same status whether a file is being compacted, was
  // compacted, or was moved to another level since the plan was made. So look
  // where the file is now.
  void TakeConflict(size_t file, const Status& status) {
    PlannedFile& planned = plan_[file];
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(families_[planned.family].handle, &metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& live : level.files) {
        if (live.file_number != planned.number) continue;
        planned.level = level.level;
        report_->files[file].message = status.ToString();
        again_.push_back(file);
        return;
      }
    }
    End(file, RebuildOutcome::kGone, "");
  }

  void End(size_t file, RebuildOutcome outcome, const std::string& message) {
    FileRebuild& ended = report_->files[file];
    ended.outcome = outcome;
    ended.message = message;
    ++so_far_.files_done;
    so_far_.bytes_done += ended.bytes;
    if (outcome == RebuildOutcome::kRewritten) {
      report_->bytes_rewritten += ended.bytes;
    }
  }

  rocksdb::DB* db_;
  const std::vector<Family>& families_;
  const RebuildFiltersOptions& options_;
  const RebuildFiltersCallback& progress_;
  std::vector<PlannedFile> plan_;
  RebuildFiltersReport* report_;
  RebuildFiltersProgress so_far_;
  std::vector<size_t> again_;  // files that were being compacted
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

Status RebuildFilters(rocksdb::DB* db, const RebuildFiltersOptions& options,
                      const RebuildFiltersCallback& progress,
                      RebuildFiltersReport* report) {
  RebuildFiltersReport unasked;
  if (report == nullptr) report = &unasked;
  *report = {};
  RETURN_IF_ERROR(ValidateWorstRate(options.worst_rate));
  std::vector<Family> families;
  RETURN_IF_ERROR(ReadFamilies(db, options, &families));
  if (!options.dry_run && IsReadOnly(db)) {
    return Status::NotSupported("linebloom: the database is read-only");
  }
  LetListenerLook(db, &families);
  std::vector<PlannedFile> plan;
  RETURN_IF_ERROR(MakePlan(db, families, progress, &plan, report));
  if (options.dry_run) {
    MarkFilesWithoutRoom(db, families, report);
    return Status::OK();
  }
  return Rewriter(db, families, options, progress, std::move(plan), report)
      .Run();
}

}  // namespace linebloom
