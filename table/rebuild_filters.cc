#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "table/evaluate.h"
#include "table/expected_reads.h"
#include "table/file_facts.h"
#include "table/format.h"
#include "table/pace.h"
#include "table/random_access.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::SstFileMetaData;
using rocksdb::Status;
using Clock = std::chrono::steady_clock;

Status Continue(const RebuildFiltersCallback& progress,
                const RebuildFiltersProgress& so_far) {
  return !progress || progress(so_far)
             ? Status::OK()
             : Status::Incomplete("linebloom: cancelled");
}

absl::Status FromIo(const rocksdb::IOStatus& status, const std::string& path) {
  const std::string text = absl::StrCat(path, ": ", status.ToString());
  if (status.IsNotFound() || status.IsPathNotFound()) {
    return absl::NotFoundError(text);
  }
  if (status.IsCorruption()) return absl::DataLossError(text);
  return absl::UnavailableError(text);
}

class FileSystemBytes final : public RandomAccess {
 public:
  FileSystemBytes(std::string path, uint64_t size,
                  std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : RandomAccess(std::move(path), size), file_(std::move(file)) {}

 private:
  absl::Status ReadInto(uint64_t offset, size_t length,
                        char* out) const override {
    rocksdb::Slice got;
    const rocksdb::IOStatus status =
        file_->Read(offset, length, rocksdb::IOOptions(), &got, out, nullptr);
    if (!status.ok()) return FromIo(status, name());
    if (got.size() != length) {
      return absl::DataLossError(absl::StrCat(name(), ": offset ", offset,
                                              ": expected ", length,
                                              " bytes, found ", got.size()));
    }
    // Files in memory need no copy.
    if (got.data() != out) std::memcpy(out, got.data(), length);
    return absl::OkStatus();
  }

  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
};

// Reads the file through the database's own file system: files in memory or
// stored encrypted look as they do to the database.
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFromDatabase(
    rocksdb::FileSystem* file_system, const std::string& path) {
  uint64_t size = 0;
  rocksdb::IOStatus status =
      file_system->GetFileSize(path, rocksdb::IOOptions(), &size, nullptr);
  if (!status.ok()) return FromIo(status, path);
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  status = file_system->NewRandomAccessFile(path, rocksdb::FileOptions(), &file,
                                            nullptr);
  if (!status.ok()) return FromIo(status, path);
  return std::make_unique<FileSystemBytes>(path, size, std::move(file));
}

absl::StatusOr<SstFile> OpenSst(rocksdb::DB* db, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes,
                   OpenFromDatabase(db->GetFileSystem(), path));
  return SstFile::Open(std::move(bytes));
}

// A file that is readable except for its filter is worth rewriting.
absl::StatusOr<FileFacts> Describe(rocksdb::DB* db, const std::string& path,
                                   bool* filter_block_is_damaged) {
  ASSIGN_OR_RETURN(const SstFile file, OpenSst(db, path));
  absl::StatusOr<FileFacts> facts = ReadFileFacts(file);
  *filter_block_is_damaged = absl::IsDataLoss(facts.status());
  if (!*filter_block_is_damaged) return facts;
  FileFacts damaged;
  damaged.properties = file.properties();
  damaged.filter_kind = file.filter().kind;
  damaged.compatibility_name = file.filter().compatibility_name;
  damaged.problems.emplace_back(facts.status().message());
  return damaged;
}

Status ReadFamilies(rocksdb::DB* db, const RebuildFiltersOptions& options,
                    std::vector<FamilyToRebuild>* families) {
  std::vector<ColumnFamilyHandle*> handles = options.column_families;
  if (handles.empty()) handles = {db->DefaultColumnFamily()};
  for (ColumnFamilyHandle* handle : handles) {
    if (handle == nullptr) {
      return Status::InvalidArgument(
          "linebloom: column_families holds a null handle");
    }
    FamilyToRebuild& family = families->emplace_back();
    family.name = handle->GetName();
    family.handle = handle;
    family.options = db->GetOptions(handle);
    family.worst_rate = options.worst_rate;
    const std::string problem = ReadPolicy(&family);
    if (problem.empty()) continue;
    return Status::InvalidArgument(
        "linebloom: column family '" + family.name + "'", problem);
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

// The metadata has the entries only of files that RocksDB has opened. (RocksDB
// isn't asked to open others: a damaged footer may make it throw.)
uint64_t EntriesOf(rocksdb::DB* db, const SstFileMetaData& file) {
  if (file.num_entries > 0) return file.num_entries;
  const absl::StatusOr<SstFile> opened = OpenSst(db, PathOf(db, file));
  return opened.ok() ? opened->properties().num_entries : 0;
}

// Lists the files of each family and, if its policy needs it, describes the
// tree. Its filters count as average ones, those that stay and those to come.
// Rejected: counting the filters that files have now: a tree of 5-bit Bloom
// filters was rebuilt with 13.9 bits instead of 10.
void ListFiles(rocksdb::DB* db, std::vector<FamilyToRebuild>* families) {
  for (FamilyToRebuild& family : *families) {
    db->GetColumnFamilyMetaData(family.handle, &family.files);
    if (!IsLevelAware(family.policy)) continue;
    auto tree = std::make_shared<TreeState>();
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& file : level.files) {
        const double entries = EntriesOf(db, file);
        tree->Add({.unknown = entries}, level.level);
      }
    }
    family.tree = std::move(tree);
  }
}

// Gives all families that have a memory budget the smallest, which they share.
void ShareBudget(std::vector<FamilyToRebuild>* families) {
  double keys = 0;
  uint64_t budget = UINT64_MAX;
  for (const FamilyToRebuild& family : *families) {
    if (!family.policy.memory_budget) continue;
    budget = std::min(budget, *family.policy.memory_budget);
    keys += family.tree->Total();
  }
  for (FamilyToRebuild& family : *families) {
    if (!family.policy.memory_budget) continue;
    family.policy.memory_budget = budget;
    family.all_keys = keys;
  }
}

// The plan: which files are worth rewriting, and in which order.

bool Overlap(const FamilyToRebuild& family, const SstFileMetaData& a,
             const SstFileMetaData& b) {
  const rocksdb::Comparator& comparator = *family.options.comparator;
  return comparator.CompareWithoutTimestamp(a.smallestkey, b.largestkey) <= 0 &&
         comparator.CompareWithoutTimestamp(b.smallestkey, a.largestkey) <= 0;
}

// True if no older file may contain one of the file's keys.
bool NothingBelow(const FamilyToRebuild& family, const SstFileMetaData& file,
                  int level) {
  if (level == 0 &&
      family.files.levels[0].files.back().file_number != file.file_number) {
    return false;
  }
  for (const rocksdb::LevelMetaData& below : family.files.levels) {
    if (below.level <= level) continue;
    for (const SstFileMetaData& other : below.files) {
      if (Overlap(family, file, other)) return false;
    }
  }
  return true;
}

// A live file: examined, then planned if its filter is poor, then rewritten.
struct PlannedFile {
  FileRebuild rebuild;  // for the report
  size_t family = 0;    // index into the families and their reads
  uint64_t number = 0;
  int level = 0;  // where it is now
  bool filter_block_is_damaged = false;
  bool is_worth_it = false;
  double more_memory = 0;  // bytes that the new filter takes beyond the old one
};

bool IsOverBudget(const PlannedFile& file) {
  return file.rebuild.reason == RebuildReason::kOverBudget;
}

// Examines the filters of all live files of `families` and fills in all of
// `report` except `files`. Incomplete if `progress` returns false. Omits files
// that a compaction removes meanwhile, and files too damaged to examine.
class Planner {
 public:
  Planner(rocksdb::DB* db, const std::vector<FamilyToRebuild>& families,
          const RebuildFiltersCallback& progress, RebuildFiltersReport* report)
      : db_(db), families_(families), progress_(progress), report_(report) {}

  Status Run(std::vector<PlannedFile>* plan) {
    for (const FamilyToRebuild& family : families_) {
      so_far_.files += family.files.file_count;
    }
    for (size_t i = 0; i < families_.size(); ++i) {
      RETURN_IF_ERROR(LookAtFamily(i));
    }
    std::ranges::stable_sort(candidates_, {}, Order);
    for (PlannedFile& file : candidates_) {
      if (Fits(file)) {
        report_->reads[file.family].after -= file.rebuild.saved_reads;
        plan->push_back(std::move(file));
      } else if (!IsOverBudget(file)) {
        ++report_->files_no_better;
      }
    }
    return Status::OK();
  }

 private:
  // The files of a column family as lookups of missing rows meet them.
  struct FilesInReach {
    std::vector<PlannedFile> files;
    std::vector<FileRange> ranges;
  };

  Status LookAtFamily(size_t index) {
    const FamilyToRebuild& family = families_[index];
    FilesInReach met;
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& file : level.files) {
        RETURN_IF_ERROR(LookAtFile(index, level.level, file, &met));
      }
    }
    const std::vector<Stretch> places =
        PlacesOf(met.ranges, *family.options.comparator);
    double reads = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      FileRebuild& file = met.files[i].rebuild;
      reads += places[i].share() * file.rate;
      file.saved_reads = places[i].share() * (file.rate - file.rate_after);
      if (!met.files[i].is_worth_it) continue;
      candidates_.push_back(std::move(met.files[i]));
    }
    report_->reads.push_back({family.name, reads, reads});
    return Status::OK();
  }

  Status LookAtFile(size_t index, int level, const SstFileMetaData& meta,
                    FilesInReach* met) {
    RETURN_IF_ERROR(Continue(progress_, so_far_));
    ++so_far_.files_done;
    const FamilyToRebuild& family = families_[index];
    PlannedFile file;
    file.rebuild.path = PathOf(db_, meta);
    const absl::StatusOr<FileFacts> facts =
        Describe(db_, file.rebuild.path, &file.filter_block_is_damaged);
    if (absl::IsNotFound(facts.status())) return Status::OK();
    ++report_->files_examined;
    if (!facts.ok()) {
      report_->unreadable.emplace_back(facts.status().message());
      return Status::OK();
    }
    const bool for_hits = family.options.optimize_filters_for_hits;
    const bool nothing_below = (for_hits || IsLevelAware(family.policy)) &&
                               NothingBelow(family, meta, level);
    const TargetFilter target = TargetOfFile(family, level, nothing_below);
    const Evaluation evaluation = Evaluate(*facts, target);
    if (facts->has_gaps && target.leaves_gaps) {
      report_->unreadable.push_back(
          absl::StrCat(file.rebuild.path, ": ", facts->problems.front(), "; ",
                       target.policy_name,
                       " would write it again: use another policy, or "
                       "whole_key_filtering=true"));
    }
    met->ranges.push_back(
        {meta.smallestkey, meta.largestkey, 1.0 * facts->rows()});
    file.rebuild.column_family = family.name;
    file.rebuild.level = level;
    file.rebuild.bytes = meta.size;
    file.rebuild.rows = facts->rows();
    file.rebuild.reason = evaluation.reason.value_or(RebuildReason::kNoFilter);
    file.rebuild.rate = evaluation.rate_now;
    file.rebuild.rate_after = evaluation.rate_after;
    file.family = index;
    file.number = meta.file_number;
    file.level = level;
    // With this option RocksDB would rewrite the file without a filter.
    if (!for_hits || !nothing_below) {
      const double bytes = facts->bytes;
      file.more_memory = evaluation.bytes_after - bytes;
      file.is_worth_it = evaluation.pays;
      memory_ += family.policy.memory_budget ? bytes : 0;
      report_->files_no_better +=
          evaluation.reason.has_value() && !evaluation.pays;
    }
    met->files.push_back(std::move(file));
    return Status::OK();
  }

  // Those over budget come first, by lost reads per freed byte of memory. Then
  // by saved reads per byte of the file: whenever the run ends, no other order
  // would have saved more. Rejected: by rate alone, which begins with the last
  // level, and so the most bytes, if no file has a filter.
  static std::pair<bool, double> Order(const PlannedFile& file) {
    const FileRebuild& rebuild = file.rebuild;
    if (IsOverBudget(file)) {
      return {false, rebuild.saved_reads / file.more_memory};
    }
    const auto bytes = std::max<uint64_t>(rebuild.bytes, 1);
    return {true, -rebuild.saved_reads / bytes};
  }

  // Books the file's new filter. False if the budget has no room for it, or for
  // a file over budget, if those before it have freed enough.
  bool Fits(const PlannedFile& file) {
    const std::optional<uint64_t>& budget =
        families_[file.family].policy.memory_budget;
    if (!budget) return true;
    const double room = *budget - memory_;
    if (IsOverBudget(file) ? room >= 0
                           : file.more_memory > std::max(room, 0.0)) {
      return false;
    }
    memory_ += file.more_memory;
    return true;
  }

  rocksdb::DB* db_;
  const std::vector<FamilyToRebuild>& families_;
  const RebuildFiltersCallback& progress_;
  RebuildFiltersReport* report_;
  RebuildFiltersProgress so_far_;
  std::vector<PlannedFile> candidates_;
  double memory_ = 0;  // that the filters of families with a budget take
};

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

// Reads the footer at `path` again. Corruption, or other errors of reading, if
// RocksDB should not open the file: before format_version 6 the footer has no
// checksum, and RocksDB allocates as many bytes as it says.
Status CheckFooter(rocksdb::FileSystem* file_system, const std::string& path) {
  const absl::StatusOr<std::unique_ptr<RandomAccess>> file =
      OpenFromDatabase(file_system, path);
  const absl::Status status =
      file.ok() ? ReadFooter(**file).status() : file.status();
  if (status.ok()) return Status::OK();
  const std::string message(status.message());
  return absl::IsNotFound(status) ? Status::NotFound(message)
                                  : Status::Corruption(message);
}

// Returns an error if a compaction should not read the file.
Status CheckFile(rocksdb::DB* db, const rocksdb::Options& options,
                 const PlannedFile& file, bool check_data_blocks) {
  const std::string& path = file.rebuild.path;
  try {
    const Status footer = CheckFooter(db->GetFileSystem(), path);
    if (!footer.ok() || !check_data_blocks) return footer;
    return CheckDataBlocks(options, path, file.filter_block_is_damaged);
  } catch (const std::bad_alloc& error) {
    return Status::MemoryLimit(
        path, absl::StrCat("too little memory to check it, or a damaged size: ",
                           error.what()));
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
    std::chrono::duration<double> pause(0.1);
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
  Status Pause(std::chrono::duration<double> pause) {
    Status status;
    SleepWhile(pause, [&] {
      status = Continue(progress_, so_far_);
      return status.ok();
    });
    return status;
  }

  Status TryEach() {
    for (PlannedFile& file : plan_) {
      // It may have been rewritten along with a neighbour.
      if (!IsPlanned(file)) continue;
      RETURN_IF_ERROR(Continue(progress_, so_far_));
      RETURN_IF_ERROR(Rewrite(&file));
      RETURN_IF_ERROR(
          Pause(PauseAfter(report_->bytes_rewritten, Clock::now() - start_,
                           options_.bytes_per_second)));
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
    const Status sound = CheckFile(db_, families_[file->family].options, *file,
                                   options_.check_data_blocks);
    // Files that are gone are noticed below.
    if (!sound.ok() && !sound.IsNotFound() && !sound.IsPathNotFound()) {
      End(RebuildOutcome::kDamaged, file, sound.ToString());
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
    ListenerApi* const api = ApiOf(FindLevelSizeListener(family.options));
    if (api != nullptr) api->WriteIntoTree(family.tree, family.all_keys);
    const absl::Cleanup forget = [api] {  // even if RocksDB throws
      if (api != nullptr) api->WriteIntoTree(nullptr, 0);
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
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

Status RebuildFilters(rocksdb::DB* db, const RebuildFiltersOptions& options,
                      const RebuildFiltersCallback& progress,
                      RebuildFiltersReport* report) {
  RebuildFiltersReport unasked;
  if (report == nullptr) report = &unasked;
  *report = {};
  if (!(options.worst_rate >= 0 && options.worst_rate <= 1)) {
    return Status::InvalidArgument(
        absl::StrCat("linebloom: worst_rate=", options.worst_rate),
        "must be from 0 to 1");
  }
  std::vector<FamilyToRebuild> families;
  RETURN_IF_ERROR(ReadFamilies(db, options, &families));
  if (!options.dry_run && IsReadOnly(db)) {
    return Status::NotSupported("linebloom: the database is read-only");
  }
  ListFiles(db, &families);
  ShareBudget(&families);
  std::vector<PlannedFile> plan;
  RETURN_IF_ERROR(Planner(db, families, progress, report).Run(&plan));
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

}  // namespace linebloom
