#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "table/entry_reader.h"
#include "table/rebuild/evaluate.h"
#include "table/rebuild/plan_rebuild.h"
#include "table/sst_file.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::SstFileMetaData;
using rocksdb::Status;

// CompactFiles() fails badly in a CompactedDBImpl, which OpenForReadOnly() may
// return (seen in 7.8 and 9.10). All read-only databases reject
// IngestExternalFile(), which without files does nothing in any other.
bool IsReadOnly(rocksdb::DB* db) {
  return db->IngestExternalFile({}, rocksdb::IngestExternalFileOptions())
      .IsNotSupported();
}

// Is there space on the disk for a new file?

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

double WriteBuffersOf(const std::vector<FamilyToRebuild>& families) {
  double bytes = 0;
  double limit = std::numeric_limits<double>::infinity();
  for (const FamilyToRebuild& family : families) {
    const rocksdb::Options& options = family.options;
    bytes += 1.0 * options.write_buffer_size *
             std::max(options.max_write_buffer_number, 1);
    if (options.db_write_buffer_size > 0) {
      limit = options.db_write_buffer_size;
    }
  }
  return std::min(bytes, limit);
}

// Returns NoSpace, with all numbers, if the path of `file` has less free space
// than 1.1 times the file's bytes plus what must stay free for the
// application's writes: the write buffers of `families`, or what all of the
// database hold now, once as files and once as write-ahead logs. Returns OK if
// the file system can't report free space.
Status CheckDiskSpace(rocksdb::DB* db,
                      const std::vector<FamilyToRebuild>& families,
                      const FileRebuild& file) {
  const std::string folder = DirectoryOf(file.path);
  uint64_t free = 0;
  const rocksdb::IOStatus known = db->GetFileSystem()->GetFreeSpace(
      folder, rocksdb::IOOptions(), &free, /*dbg=*/nullptr);
  if (!known.ok()) return Status::OK();
  uint64_t in_memory = 0;  // stays 0 if RocksDB doesn't know
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables,
                               &in_memory);
  const double buffers = std::max(WriteBuffersOf(families), 1.0 * in_memory);
  // The limit, more than any disk holds, keeps the sum from overflowing.
  const auto reserve = static_cast<uint64_t>(std::min(2 * buffers, 1e18));
  // A new filter may be larger than the old one.
  const auto for_file = static_cast<uint64_t>(std::ceil(1.1 * file.bytes));
  if (free >= for_file + reserve) return Status::OK();
  return Status::NoSpace(
      "linebloom",
      absl::StrCat("'", folder, "' has ", free, " bytes free, less than ",
                   for_file, " for the new file and ", reserve,
                   " for write buffers and logs"));
}

// For dry runs.
void MarkFilesWithoutSpace(rocksdb::DB* db,
                           const std::vector<FamilyToRebuild>& families,
                           std::vector<PlannedFile>* plan) {
  for (PlannedFile& file : *plan) {
    const Status space = CheckDiskSpace(db, families, file.rebuild);
    if (space.ok()) continue;
    file.rebuild.outcome = RebuildOutcome::kNoSpace;
    file.rebuild.message = space.ToString();
  }
}

// Is the old file sound?

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

// Checks all blocks that a compaction would read, the filter only if it isn't
// damaged, because RocksDB's own check covers all blocks or none.
absl::Status CheckDataBlocks(rocksdb::DB* db, const rocksdb::Options& options,
                             const FileRebuild& file) {
  if (file.reason == RebuildReason::kDamagedFilter) {
    EntryReader reader(file.path, db->GetEnv());
    RETURN_IF_ERROR(reader.Open());
    return reader.ForEach([](absl::string_view) { return absl::OkStatus(); });
  }
  rocksdb::SstFileReader reader(ReaderOptions(options));
  RETURN_IF_ERROR(FromRocksDb(reader.Open(file.path), file.path));
  rocksdb::ReadOptions read;
  read.readahead_size = 2 << 20;
  return FromRocksDb(reader.VerifyChecksum(read), file.path);
}

// Returns an error if a compaction should not read the file. Reads the footer
// again first: before format_version 6 it has no checksum, and RocksDB
// allocates as many bytes as it says.
absl::Status IsSafeToCompact(rocksdb::DB* db, const rocksdb::Options& options,
                             const FileRebuild& file, bool check_data_blocks) {
  try {
    RETURN_IF_ERROR(SstFile::Open(file.path, db->GetFileSystem()).status());
    return check_data_blocks ? CheckDataBlocks(db, options, file)
                             : absl::OkStatus();
  } catch (const std::bad_alloc& error) {
    return absl::ResourceExhaustedError(absl::StrCat(
        file.path,
        ": too little memory to check it, or a damaged size: ", error.what()));
  }
}

// The rewriting.

// The index of `directory` among the column family's paths. A rewritten file
// stays in its directory.
int PathId(const rocksdb::Options& options, const std::string& directory) {
  const auto& paths =
      options.cf_paths.empty() ? options.db_paths : options.cf_paths;
  const auto path = std::ranges::find(paths, directory, &rocksdb::DbPath::path);
  // -1: RocksDB takes the only one, or fails if there are several.
  return path == paths.end() ? -1 : static_cast<int>(path - paths.begin());
}

// RocksDB indexes compression_per_level from the base level on and asserts that
// no file is above it (seen in 9.10), but such files exist if
// level_compaction_dynamic_level_bytes was turned on later.
rocksdb::CompressionType CompressionOf(rocksdb::DB* db,
                                       const FamilyToRebuild& family,
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

bool IsPlanned(const PlannedFile& file) {
  return file.rebuild.outcome == RebuildOutcome::kPlanned;
}

// Sets the outcome of each file in `plan` and the bytes rewritten in `report`.
class Rewriter {
 public:
  Rewriter(rocksdb::DB* db, const std::vector<FamilyToRebuild>& families,
           const RebuildFiltersOptions& options,
           const RebuildFiltersCallback& progress,
           std::vector<PlannedFile>* plan, RebuildFiltersReport* report)
      : db_(db),
        families_(families),
        options_(options),
        progress_(progress),
        plan_(*plan),
        report_(report) {
    so_far_.rewriting = true;
    so_far_.files = plan_.size();
    for (const PlannedFile& file : plan_) so_far_.bytes += file.rebuild.bytes;
  }

  Status Run() {
    // How often to try a file that is being compacted. Pauses double, 13
    // seconds in all, in addition to the time spent on other files.
    constexpr int kAttempts = 8;
    std::chrono::milliseconds pause(100);
    for (int attempt = 1;; ++attempt, pause *= 2) {
      RETURN_IF_ERROR(TryEach());
      if (attempt == kAttempts || so_far_.files_done == plan_.size()) break;
      RETURN_IF_ERROR(Pause(pause));
    }
    for (PlannedFile& file : plan_) {
      if (!IsPlanned(file)) continue;
      End(RebuildOutcome::kBusy, &file, file.rebuild.message);
    }
    return Status::OK();
  }

 private:
  Status Pause(std::chrono::milliseconds pause) {
    constexpr std::chrono::milliseconds kTurn(100);
    for (; pause.count() > 0; pause -= kTurn) {
      RETURN_IF_ERROR(Continue(progress_, so_far_));
      std::this_thread::sleep_for(kTurn);
    }
    return Status::OK();
  }

  Status TryEach() {
    for (PlannedFile& file : plan_) {
      // It may have been rewritten along with a neighbour.
      if (!IsPlanned(file)) continue;
      RETURN_IF_ERROR(Continue(progress_, so_far_));
      RETURN_IF_ERROR(Rewrite(&file));
    }
    return Status::OK();
  }

  Status Rewrite(PlannedFile* file) {
    // A compaction that fills the disk stops all writes to the database.
    const Status space = CheckDiskSpace(db_, families_, file->rebuild);
    if (!space.ok()) {
      End(RebuildOutcome::kNoSpace, file, space.ToString());
      return Status::OK();
    }
    const absl::Status sound =
        IsSafeToCompact(db_, families_[file->family].options, file->rebuild,
                        options_.check_data_blocks);
    // Files that are gone are noticed below.
    if (!sound.ok() && !absl::IsNotFound(sound)) {
      End(RebuildOutcome::kDamaged, file, std::string(sound.message()));
      return Status::OK();
    }
    rocksdb::CompactionJobInfo job;
    const Status status = Compact(*file, &job);
    if (status.ok()) {
      TakeInputs(job, file);
    } else if (status.IsCompactionTooLarge()) {
      End(RebuildOutcome::kNoSpace, file, status.ToString());
    } else if (status.IsColumnFamilyDropped()) {
      End(RebuildOutcome::kGone, file);
    } else if (status.IsAborted() || status.IsInvalidArgument()) {
      TakeConflict(status, file);
    } else {
      return status;
    }
    return Status::OK();
  }

  Status Compact(const PlannedFile& file, rocksdb::CompactionJobInfo* job) {
    const FamilyToRebuild& family = families_[file.family];
    const std::string& path = file.rebuild.path;
    rocksdb::CompactionOptions compaction;
    // The output size is unlimited by default, so one file becomes one file.
    compaction.compression = CompressionOf(db_, family, file.level);
    compaction.max_subcompactions = 1;
    // CompactFiles() works in the calling thread.
    ListenerApi* const api = FindListener(family.options);
    if (api != nullptr) api->OverrideTree(family.tree, family.users_of);
    const absl::Cleanup forget = [api] {  // even if RocksDB throws
      if (api != nullptr) api->OverrideTree(nullptr, nullptr);
    };
    return db_->CompactFiles(compaction, family.handle, {path}, file.level,
                             PathId(family.options, DirectoryOf(path)), nullptr,
                             job);
  }

  // RocksDB also rewrites neighbours with other versions of the file's first or
  // last key.
  void TakeInputs(const rocksdb::CompactionJobInfo& job, PlannedFile* file) {
    End(RebuildOutcome::kRewritten, file);
    for (const rocksdb::CompactionFileInfo& input : job.input_file_infos) {
      for (PlannedFile& other : plan_) {
        if (IsPlanned(other) && other.family == file->family &&
            other.number == input.file_number) {
          End(RebuildOutcome::kRewritten, &other);
        }
      }
    }
  }

  // RocksDB returns the same status whether a file is being compacted, was
  // compacted, or was moved to another level since the plan was made. So look
  // where the file is now; it will be tried again there.
  void TakeConflict(const Status& status, PlannedFile* file) {
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(families_[file->family].handle, &metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const SstFileMetaData& live : level.files) {
        if (live.file_number != file->number) continue;
        file->level = level.level;
        file->rebuild.message = status.ToString();
        return;
      }
    }
    End(RebuildOutcome::kGone, file);
  }

  void End(RebuildOutcome outcome, PlannedFile* file,
           const std::string& message = "") {
    FileRebuild& rebuild = file->rebuild;
    rebuild.outcome = outcome;
    rebuild.message = message;
    ++so_far_.files_done;
    so_far_.bytes_done += rebuild.bytes;
    if (outcome == RebuildOutcome::kRewritten) {
      report_->bytes_rewritten += rebuild.bytes;
    }
  }

  rocksdb::DB* db_;
  const std::vector<FamilyToRebuild>& families_;
  const RebuildFiltersOptions& options_;
  const RebuildFiltersCallback& progress_;
  std::vector<PlannedFile>& plan_;
  RebuildFiltersReport* report_;
  RebuildFiltersProgress so_far_;
};

Status Rebuild(const std::optional<HitRange>& hits, rocksdb::DB* db,
               const RebuildFiltersOptions& options,
               const RebuildFiltersCallback& progress,
               RebuildFiltersReport* report) {
  RebuildFiltersReport ignored;
  if (report == nullptr) report = &ignored;
  *report = {};
  std::vector<FamilyToRebuild> families;
  RETURN_IF_ERROR(ReadFamilies(db, options, hits, &families));
  if (!options.dry_run && IsReadOnly(db)) {
    return Status::NotSupported("linebloom: the database is read-only");
  }
  std::vector<PlannedFile> plan = FindFiles(families, options.files);
  if (options.files.empty()) {
    RETURN_IF_ERROR(PlanFiles(db, families, progress, report, &plan));
  }
  Status status;
  if (options.dry_run) {
    MarkFilesWithoutSpace(db, families, &plan);
  } else {
    status = Rewriter(db, families, options, progress, &plan, report).Run();
  }
  for (PlannedFile& file : plan) {
    report->files.push_back(std::move(file.rebuild));
  }
  return status;
}

}  // namespace

Status RebuildFilters(rocksdb::DB* db, const RebuildFiltersOptions& options,
                      const RebuildFiltersCallback& progress,
                      RebuildFiltersReport* report) {
  return Rebuild(std::nullopt, db, options, progress, report);
}

Status RebuildFiltersFor(const HitRange& hits, rocksdb::DB* db,
                         const RebuildFiltersOptions& options,
                         const RebuildFiltersCallback& progress,
                         RebuildFiltersReport* report) {
  return Rebuild(hits, db, options, progress, report);
}

}  // namespace linebloom
