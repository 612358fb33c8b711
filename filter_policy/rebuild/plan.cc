#include "filter_policy/rebuild/plan.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/expected_reads.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/line/line.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/sizing.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/metadata.h"
#include "table/format.h"
#include "table/random_access.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::SstFileMetaData;
using rocksdb::Status;

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
  ASSIGN_OR_RETURN(const FilterFile file, OpenFilterFile(std::move(bytes)));
  absl::StatusOr<FileFacts> facts = ReadFileFacts(file);
  if (facts.ok()) return Described{*std::move(facts), false};
  if (!absl::IsDataLoss(facts.status())) return facts.status();
  Described damaged;
  damaged.facts.properties = file.properties;
  damaged.facts.filter_kind = file.location.kind;
  damaged.facts.family = file.location.family;
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
  const absl::StatusOr<FilterFile> opened = OpenFilterFile(*std::move(bytes));
  return opened.ok() ? opened->properties.num_entries : 0;
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

// The files of a column family, level by level.
class FamilyFiles {
 public:
  FamilyFiles(rocksdb::DB* db, const Family& family)
      : comparator_(family.options.comparator),
        for_hits_(family.options.optimize_filters_for_hits) {
    db->GetColumnFamilyMetaData(family.handle, &metadata_);
    if (IsLevelAware(family.policy)) tree_ = TreeOf(db, metadata_);
  }

  const rocksdb::ColumnFamilyMetaData& metadata() const { return metadata_; }
  const rocksdb::Comparator& comparator() const { return *comparator_; }
  const std::shared_ptr<const TreeState>& tree() const { return tree_; }

  // True if RocksDB would rewrite the file without a filter: with
  // optimize_filters_for_hits, if no older file may contain one of its keys.
  bool GetsNoFilter(const SstFileMetaData& file, int level) const {
    return for_hits_ && NothingBelow(file, level);
  }

  // True if no older file may contain one of the file's keys.
  bool NothingBelow(const SstFileMetaData& file, int level) const {
    if (level == 0 &&
        metadata_.levels[0].files.back().file_number != file.file_number) {
      return false;
    }
    for (const rocksdb::LevelMetaData& below : metadata_.levels) {
      if (below.level <= level) continue;
      for (const SstFileMetaData& other : below.files) {
        if (Overlap(file, other)) return false;
      }
    }
    return true;
  }

 private:
  bool Overlap(const SstFileMetaData& a, const SstFileMetaData& b) const {
    return comparator_->CompareWithoutTimestamp(a.smallestkey, b.largestkey) <=
               0 &&
           comparator_->CompareWithoutTimestamp(b.smallestkey, a.largestkey) <=
               0;
  }

  const rocksdb::Comparator* comparator_;
  bool for_hits_;
  rocksdb::ColumnFamilyMetaData metadata_;
  std::shared_ptr<const TreeState> tree_;  // null if the policy needs none
};

std::vector<FamilyFiles> FilesOf(rocksdb::DB* db,
                                 const std::vector<Family>& families) {
  std::vector<FamilyFiles> files;
  for (const Family& family : families) files.emplace_back(db, family);
  return files;
}

// Replaces memory budgets by bits per key: the smallest budget is divided
// equally among all keys of the families that have one.
std::vector<Family> ShareBudget(const std::vector<FamilyFiles>& files,
                                std::vector<Family> families) {
  double rows = 0;
  std::optional<uint64_t> budget;
  for (size_t i = 0; i < families.size(); ++i) {
    const std::optional<uint64_t>& own = families[i].policy.memory_budget;
    if (!own) continue;
    budget = std::min(budget.value_or(UINT64_MAX), *own);
    rows += files[i].tree()->Total();
  }
  for (Family& family : families) {
    if (!family.policy.memory_budget) continue;
    family.memory_budget = budget;
    family.policy.memory_budget.reset();
    family.policy.level_aware = true;
    family.policy.bits_per_key =
        std::clamp(8 * static_cast<double>(*budget) / std::max(rows, 1.0),
                   kMinBitsOfRun, kMaxAverageOfBudget);
  }
  return families;
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

// How many lookups fall on a file beside others of its level, and in `source`
// where that is known from.
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

void Weigh(const std::vector<double>& shares, size_t first,
           std::vector<Candidate>* candidates) {
  for (size_t i = first; i < candidates->size(); ++i) {
    FileRebuild& file = (*candidates)[i].file;
    file.saved_reads =
        shares[(*candidates)[i].index] * (file.rate - file.rate_after);
  }
}

class Planner {
 public:
  Planner(rocksdb::DB* db, const std::vector<Family>& families,
          const RebuildFiltersCallback& progress, RebuildFiltersReport* report)
      : db_(db),
        files_(FilesOf(db, families)),
        families_(ShareBudget(files_, families)),
        progress_(progress),
        report_(report) {}

  Status Run(std::vector<PlannedFile>* plan) {
    for (const FamilyFiles& files : files_) {
      so_far_.files += files.metadata().file_count;
    }
    for (size_t i = 0; i < families_.size(); ++i) {
      RETURN_IF_ERROR(LookAtFamily(i));
    }
    Sort(plan);
    return Status::OK();
  }

 private:
  Status LookAtFamily(size_t index) {
    const FamilyFiles& files = files_[index];
    FilesInReach in_reach;
    LookupSource source = LookupSource::kEven;
    const size_t first = candidates_.size();
    const size_t first_shrinkable = shrinkable_.size();
    for (const rocksdb::LevelMetaData& level : files.metadata().levels) {
      for (const SstFileMetaData& file : level.files) {
        RETURN_IF_ERROR(
            LookAtFile(index, level.level, file, &in_reach, &source));
      }
    }
    const std::vector<double> shares =
        ProbeShares(in_reach.ranges, files.comparator());
    const double reads = std::inner_product(shares.begin(), shares.end(),
                                            in_reach.rates.begin(), 0.0);
    report_->reads.push_back({families_[index].name, reads, reads, source});
    Weigh(shares, first, &candidates_);
    Weigh(shares, first_shrinkable, &shrinkable_);
    return Status::OK();
  }

  Status LookAtFile(size_t index, int level, const SstFileMetaData& meta,
                    FilesInReach* in_reach, LookupSource* source) {
    const Family& family = families_[index];
    const FamilyFiles& files = files_[index];
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
        family.policy.level_aware && files.NothingBelow(meta, level);
    const WantedFilter wanted = WantedOfFile(
        family, files.tree(), {facts.rows(), meta.smallestkey, meta.largestkey},
        level, nothing_below);
    const Verdict verdict = Judge(facts, wanted);
    const double lookups = LookupsOf(facts, meta, family, source);
    in_reach->ranges.push_back({meta.smallestkey, meta.largestkey, lookups});
    in_reach->rates.push_back(verdict.rate_now);
    if (files.GetsNoFilter(meta, level)) return Status::OK();
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
      candidates_.push_back(std::move(candidate));
    } else if (has_budget &&
               memory_after <
                   kWorthShrinking * static_cast<double>(facts.bytes)) {
      candidate.file.reason = RebuildReason::kOverBudget;
      shrinkable_.push_back(std::move(candidate));
    } else if (verdict.reason.has_value()) {
      ++report_->files_no_better;
    }
    return Status::OK();
  }

  void Take(const Candidate& candidate, std::vector<PlannedFile>* plan) {
    report_->files.push_back(candidate.file);
    report_->reads[candidate.planned.family].after -=
        candidate.file.saved_reads;
    plan->push_back(candidate.planned);
  }

  // Takes as many files as bring all filters back within the budget, starting
  // with those that lose the fewest reads for the memory they free.
  void KeepToBudget(std::vector<PlannedFile>* plan) {
    std::ranges::stable_sort(shrinkable_, {}, LostPerByteOfMemory);
    for (const Candidate& candidate : shrinkable_) {
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
    KeepToBudget(plan);
    std::ranges::stable_sort(candidates_, std::greater<>(), SavedPerByte);
    for (const Candidate& candidate : candidates_) {
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
  const std::vector<FamilyFiles> files_;  // of each of families_
  const std::vector<Family> families_;
  const RebuildFiltersCallback& progress_;
  RebuildFiltersReport* report_;
  RebuildFiltersProgress so_far_;
  std::vector<Candidate> candidates_;
  // Files whose filters could be smaller, and what those of all families with a
  // memory budget take.
  std::vector<Candidate> shrinkable_;
  double memory_ = 0;
};

}  // namespace

Status MakePlan(rocksdb::DB* db, const std::vector<Family>& families,
                const RebuildFiltersCallback& progress,
                std::vector<PlannedFile>* plan, RebuildFiltersReport* report) {
  return Planner(db, families, progress, report).Run(plan);
}

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

}  // namespace linebloom
