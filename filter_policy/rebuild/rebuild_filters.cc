#include "linebloom/rebuild_filters.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/expected_reads.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/line/line.h"
#include "filter_policy/rebuild/judgement.h"
#include "filter_policy/rebuild/pace.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/sizing.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "table/format.h"
#include "table/random_access.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::SstFileMetaData;
using rocksdb::Status;
using Clock = std::chrono::steady_clock;

// The plan: which files are worth rewriting, and in which order.

// Locates the file at the same index in RebuildFiltersReport::files.
struct PlannedFile {
  size_t family = 0;  // index into the list of families
  uint64_t number = 0;
  int level = 0;  // where it is now
  bool filter_block_is_damaged = false;
};

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

struct Described {
  FileFacts facts;
  bool filter_block_is_damaged = false;
};

// A file that is readable except for its filter is worth rewriting.
absl::StatusOr<Described> Describe(rocksdb::FileSystem* file_system,
                                   const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes,
                   OpenFromDatabase(file_system, path));
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(std::move(bytes)));
  absl::StatusOr<FileFacts> facts = ReadFileFacts(file);
  if (facts.ok()) return Described{*std::move(facts), false};
  if (!absl::IsDataLoss(facts.status())) return facts.status();
  Described damaged;
  damaged.facts.properties = file.properties();
  damaged.facts.filter_kind = file.filter().kind;
  damaged.facts.family = file.filter().family;
  damaged.facts.problems.emplace_back(facts.status().message());
  damaged.filter_block_is_damaged = true;
  return damaged;
}

std::string PathOf(const SstFileMetaData& file) {
  return absl::StrCat(file.directory, "/", file.relative_filename);
}

// The metadata has the entries only of files that RocksDB has opened. (RocksDB
// isn't asked to open others: a damaged footer may make it throw.)
uint64_t EntriesOf(rocksdb::DB* db, const SstFileMetaData& file) {
  if (file.num_entries > 0) return file.num_entries;
  auto bytes = OpenFromDatabase(db->GetFileSystem(), PathOf(file));
  if (!bytes.ok()) return 0;
  const absl::StatusOr<SstFile> opened = SstFile::Open(*std::move(bytes));
  return opened.ok() ? opened->properties().num_entries : 0;
}

// The same sizes that the listener knows.
std::shared_ptr<const TreeState> TreeOf(
    rocksdb::DB* db, const rocksdb::ColumnFamilyMetaData& files) {
  auto tree = std::make_shared<TreeState>();
  for (const rocksdb::LevelMetaData& level : files.levels) {
    for (const SstFileMetaData& file : level.files) {
      tree->Add(static_cast<double>(EntriesOf(db, file)), level.level);
    }
  }
  return tree;
}

// Lists the files of each family, level by level.
void ListFiles(rocksdb::DB* db, std::vector<Family>* families) {
  for (Family& family : *families) {
    db->GetColumnFamilyMetaData(family.handle, &family.files);
    if (IsLevelAware(family.policy)) family.tree = TreeOf(db, family.files);
  }
}

bool Overlap(const Family& family, const SstFileMetaData& a,
             const SstFileMetaData& b) {
  const rocksdb::Comparator& comparator = *family.options.comparator;
  return comparator.CompareWithoutTimestamp(a.smallestkey, b.largestkey) <= 0 &&
         comparator.CompareWithoutTimestamp(b.smallestkey, a.largestkey) <= 0;
}

// True if no older file may contain one of the file's keys.
bool NothingBelow(const Family& family, const SstFileMetaData& file,
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

// Replaces memory budgets by bits per key: the smallest budget is divided
// equally among all keys of the families that have one.
void ShareBudget(std::vector<Family>* families) {
  double rows = 0;
  std::optional<uint64_t> budget;
  for (const Family& family : *families) {
    const std::optional<uint64_t>& own = family.policy.memory_budget;
    if (!own) continue;
    budget = std::min(budget.value_or(UINT64_MAX), *own);
    rows += family.tree->Total();
  }
  for (Family& family : *families) {
    if (!family.policy.memory_budget) continue;
    family.memory_budget = budget;
    family.policy.memory_budget.reset();
    family.policy.level_aware = true;
    family.policy.bits_per_key =
        std::clamp(8 * static_cast<double>(*budget) / std::max(rows, 1.0),
                   kMinBitsOfRun, kMaxAverageOfBudget);
  }
}

struct Candidate {
  FileRebuild file;
  PlannedFile planned;
  size_t index = 0;        // of the file in FilesInReach
  double more_memory = 0;  // bytes that the new filter takes beyond the old one
};

// A filter that is less than a tenth or a line larger than a new one stays:
// that is chance, or the file will be merged anyway.
constexpr double kWorthShrinking = 0.9;

double BytesOfNewFilter(const FileFacts& facts, const WantedFilter& wanted) {
  const uint64_t keys = facts.keys.value_or(0) > 0 ? *facts.keys : facts.rows();
  return static_cast<double>(BytesOfLines(
      wanted.request.line, LinesFor(keys, wanted.request.millibits_per_key)));
}

// Returns the file's weight among the lookups of its level, and stores in
// `source` where that is known from.
double LookupsOf(const FileFacts& facts, const SstFileMetaData& meta,
                 const Family& family, LookupSource* source) {
  if (family.heat != nullptr) {
    *source = LookupSource::kListener;
    return static_cast<double>(facts.rows()) *
           family.heat->HeatOf(meta.smallestkey, meta.largestkey);
  }
  if (facts.heat.has_value()) *source = LookupSource::kFilters;
  return facts.lookups();
}

// The files of a column family as lookups of missing rows meet them.
struct FilesInReach {
  std::vector<FileRange> ranges;
  std::vector<double> rates;
};

double SavedPerByte(const Candidate& candidate) {
  return candidate.file.saved_reads /
         static_cast<double>(std::max<uint64_t>(candidate.file.bytes, 1));
}

double LostPerByteOfMemory(const Candidate& candidate) {
  return candidate.file.saved_reads / candidate.more_memory;
}

// Examines the filters of all live files of `families` and fills in all of
// `report` except the outcomes. Incomplete if `progress` returns false. Omits
// files that a compaction removes meanwhile, and files too damaged to examine.
class Planner {
 public:
  Planner(rocksdb::DB* db, const std::vector<Family>& families,
          const RebuildFiltersCallback& progress, RebuildFiltersReport* report)
      : db_(db), families_(families), progress_(progress), report_(report) {}

  Status Run(std::vector<PlannedFile>* plan) {
    for (const Family& family : families_) {
      so_far_.files += family.files.file_count;
    }
    for (size_t i = 0; i < families_.size(); ++i) {
      RETURN_IF_ERROR(LookAtFamily(i));
    }
    Sort(plan);
    return Status::OK();
  }

 private:
  Status LookAtFamily(size_t index) {
    const Family& family = families_[index];
    FilesInReach in_reach;
    LookupSource source = LookupSource::kEven;
    const size_t first = candidates_.size();
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& file : level.files) {
        RETURN_IF_ERROR(
            LookAtFile(index, level.level, file, &in_reach, &source));
      }
    }
    const std::vector<double> shares =
        ProbeShares(in_reach.ranges, *family.options.comparator);
    const double reads = std::inner_product(shares.begin(), shares.end(),
                                            in_reach.rates.begin(), 0.0);
    report_->reads.push_back({family.name, reads, reads, source});
    for (size_t i = first; i < candidates_.size(); ++i) {
      FileRebuild& file = candidates_[i].file;
      file.saved_reads =
          shares[candidates_[i].index] * (file.rate - file.rate_after);
    }
    return Status::OK();
  }

  Status LookAtFile(size_t index, int level, const SstFileMetaData& meta,
                    FilesInReach* in_reach, LookupSource* source) {
    const Family& family = families_[index];
    if (progress_ && !progress_(so_far_)) {
      return Status::Incomplete("linebloom: cancelled");
    }
    ++so_far_.files_done;
    const std::string path = PathOf(meta);
    const absl::StatusOr<Described> file = Describe(db_->GetFileSystem(), path);
    if (absl::IsNotFound(file.status())) return Status::OK();
    ++report_->files_examined;
    if (!file.ok()) {
      report_->unreadable.emplace_back(file.status().message());
      return Status::OK();
    }
    const FileFacts& facts = file->facts;
    // Only a level-aware policy needs to know what is below.
    const bool nothing_below =
        family.policy.level_aware && NothingBelow(family, meta, level);
    const WantedFilter wanted =
        WantedOfFile(family, {facts.rows(), meta.smallestkey, meta.largestkey},
                     level, nothing_below);
    const Verdict verdict = Judge(facts, wanted);
    const double lookups = LookupsOf(facts, meta, family, source);
    in_reach->ranges.push_back({meta.smallestkey, meta.largestkey, lookups});
    in_reach->rates.push_back(verdict.rate_now);
    // With this option RocksDB would rewrite the file without a filter.
    if (family.options.optimize_filters_for_hits &&
        NothingBelow(family, meta, level)) {
      return Status::OK();
    }
    Candidate candidate;
    candidate.file.column_family = family.name;
    candidate.file.path = path;
    candidate.file.level = level;
    candidate.file.bytes = meta.size;
    candidate.file.rows = facts.rows();
    candidate.file.rate = verdict.rate_now;
    candidate.file.rate_after = verdict.rate_after;
    candidate.index = in_reach->rates.size() - 1;
    candidate.planned = {index, meta.file_number, level,
                         file->filter_block_is_damaged};
    const double memory_after = BytesOfNewFilter(facts, wanted);
    candidate.more_memory = memory_after - static_cast<double>(facts.bytes);
    const bool has_budget = family.memory_budget.has_value();
    if (has_budget) memory_ += static_cast<double>(facts.bytes);
    if (verdict.reason.has_value() && verdict.pays) {
      candidate.file.reason = *verdict.reason;
    } else if (has_budget &&
               memory_after <
                   kWorthShrinking * static_cast<double>(facts.bytes)) {
      candidate.file.reason = RebuildReason::kOverBudget;
    } else {
      report_->files_no_better += verdict.reason.has_value() ? 1 : 0;
      return Status::OK();
    }
    candidates_.push_back(std::move(candidate));
    return Status::OK();
  }

  void Take(const Candidate& candidate, std::vector<PlannedFile>* plan) {
    report_->files.push_back(candidate.file);
    report_->reads[candidate.planned.family].after -=
        candidate.file.saved_reads;
    plan->push_back(candidate.planned);
  }

  // Takes as many of the files `over` as bring all filters back within the
  // budget, starting with those that lose the fewest reads for the memory they
  // free.
  void KeepToBudget(std::span<Candidate> over, std::vector<PlannedFile>* plan) {
    std::ranges::stable_sort(over, {}, LostPerByteOfMemory);
    for (const Candidate& candidate : over) {
      const Family& family = families_[candidate.planned.family];
      if (memory_ <= static_cast<double>(*family.memory_budget)) return;
      memory_ += candidate.more_memory;
      Take(candidate, plan);
    }
  }

  // By saved reads per byte, most first: whenever the run ends, no other order
  // would have saved more. Rejected: by rate alone, which begins with the last
  // level, and so the most bytes, if no file has a filter.
  void Sort(std::vector<PlannedFile>* plan) {
    const auto middle = std::stable_partition(
        candidates_.begin(), candidates_.end(), [](const Candidate& candidate) {
          return candidate.file.reason == RebuildReason::kOverBudget;
        });
    const auto over = static_cast<size_t>(middle - candidates_.begin());
    const std::span<Candidate> all(candidates_);
    const std::span<Candidate> worse = all.subspan(over);
    KeepToBudget(all.first(over), plan);
    std::ranges::stable_sort(worse, std::greater<>(), SavedPerByte);
    for (const Candidate& candidate : worse) {
      const Family& family = families_[candidate.planned.family];
      if (family.memory_budget) {
        const double after = memory_ + candidate.more_memory;
        if (candidate.more_memory > 0 &&
            after > static_cast<double>(*family.memory_budget)) {
          ++report_->files_no_better;
          continue;
        }
        memory_ = after;
      }
      Take(candidate, plan);
    }
  }

  rocksdb::DB* db_;
  const std::vector<Family>& families_;
  const RebuildFiltersCallback& progress_;
  RebuildFiltersReport* report_;
  RebuildFiltersProgress so_far_;
  std::vector<Candidate> candidates_;
  double memory_ = 0;  // that the filters of families with a budget take
};

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

// The rewriting.

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

// Returns NoSpace, with all numbers, if the path of `file` has less free space
// than 1.1 times the file's bytes plus what must stay free for the
// application's writes: the write buffers of `families`, or what all of the
// database hold now, once as files and once as write-ahead logs. Returns OK if
// the file system can't report free space.
Status CheckRoom(rocksdb::DB* db, const std::vector<Family>& families,
                 const FileRebuild& file) {
  uint64_t in_memory = 0;  // stays 0 if RocksDB doesn't know
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables,
                               &in_memory);
  const double buffers =
      std::max(WriteBuffersOf(families), static_cast<double>(in_memory));
  const auto reserve = static_cast<uint64_t>(std::min(2 * buffers, kMaxBytes));
  const std::string folder = DirectoryOf(file.path);
  uint64_t free = 0;
  const rocksdb::IOStatus asked = db->GetFileSystem()->GetFreeSpace(
      folder, rocksdb::IOOptions(), &free, /*dbg=*/nullptr);
  if (!asked.ok()) return Status::OK();
  const auto for_file = static_cast<uint64_t>(
      std::ceil(kGrowth * static_cast<double>(file.bytes)));
  if (free >= for_file + reserve) return Status::OK();
  return Status::NoSpace(absl::StrCat("linebloom: '", folder, "' has ", free,
                                      " bytes free, less than ", for_file,
                                      " for the new file and "),
                         absl::StrCat(reserve, " for write buffers and logs"));
}

// For dry runs.
void MarkFilesWithoutRoom(rocksdb::DB* db, const std::vector<Family>& families,
                          RebuildFiltersReport* report) {
  for (FileRebuild& file : report->files) {
    const Status room = CheckRoom(db, families, file);
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
    const Status room = CheckRoom(db_, families_, rebuild);
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
  ListFiles(db, &families);
  ShareBudget(&families);
  std::vector<PlannedFile> plan;
  RETURN_IF_ERROR(Planner(db, families, progress, report).Run(&plan));
  if (options.dry_run) {
    MarkFilesWithoutRoom(db, families, report);
    return Status::OK();
  }
  return Rewriter(db, families, options, progress, std::move(plan), report)
      .Run();
}

}  // namespace linebloom
