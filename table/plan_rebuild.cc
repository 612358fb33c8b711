#include "table/plan_rebuild.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/metadata.h"
#include "table/entry_reader.h"
#include "table/file_facts.h"
#include "table/probe_shares.h"
#include "table/random_access.h"
#include "table/sst_file.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::SstFileMetaData;
using rocksdb::Status;

absl::StatusOr<SstFile> OpenSst(rocksdb::DB* db, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes,
                   OpenFile(db->GetFileSystem(), path));
  return SstFile::Open(std::move(bytes));
}

// Reads all rows: a file without a properties block doesn't say how many it
// has. Rejected: an estimate by its bytes. Levels of too few keys get too many
// bits, and LevelDB's databases have no other files.
absl::StatusOr<uint64_t> CountEntries(rocksdb::DB* db,
                                      const std::string& path) try {
  EntryReader reader(path, db->GetEnv());
  RETURN_IF_ERROR(reader.Open());
  uint64_t entries = 0;
  RETURN_IF_ERROR(reader.ForEach([&entries](absl::string_view) {
    ++entries;
    return absl::OkStatus();
  }));
  return entries;
} catch (const std::bad_alloc&) {
  return absl::ResourceExhaustedError(absl::StrCat(
      path, ": too little memory to count its rows, or a damaged size"));
}

// `known` is what the metadata says, which has the entries only of files that
// RocksDB has opened, and of none without properties. (Don't make RocksDB open
// the rest: a damaged footer can make it throw.)
absl::StatusOr<uint64_t> EntriesOf(rocksdb::DB* db, const std::string& path,
                                   uint64_t known) {
  if (known > 0) return known;
  ASSIGN_OR_RETURN(const SstFile file, OpenSst(db, path));
  return file.properties().are_known ? file.properties().num_entries
                                     : CountEntries(db, path);
}

// A file that is readable except for its filter is worth rewriting. `entries`:
// if known from the metadata, else 0.
absl::StatusOr<FileFacts> Describe(rocksdb::DB* db, const std::string& path,
                                   uint64_t entries) {
  ASSIGN_OR_RETURN(const SstFile file, OpenSst(db, path));
  absl::StatusOr<FileFacts> read = ReadFileFacts(file);
  FileFacts facts;
  if (read.ok()) {
    facts = *std::move(read);
  } else if (absl::IsDataLoss(read.status())) {
    facts.properties = file.properties();
    facts.filter_kind = file.filter().kind;
    facts.compatibility_name = file.filter().compatibility_name;
    facts.problems.emplace_back(read.status().message());
  } else {
    return read.status();
  }
  if (!facts.properties.are_known) {
    ASSIGN_OR_RETURN(facts.properties.num_entries,
                     EntriesOf(db, path, entries));
  }
  return facts;
}

// Lists the files of each family and, if its policy needs it, describes the
// tree. All its filters, old and new, count as average ones. Rejected: counting
// the present filters, which rebuilt a tree of 5-bit Bloom filters with 13.9
// bits instead of 10.
void ListFiles(rocksdb::DB* db, std::vector<FamilyToRebuild>* families) {
  for (FamilyToRebuild& family : *families) {
    db->GetColumnFamilyMetaData(family.handle, &family.files);
    if (!IsLevelAware(family.policy)) continue;
    auto tree = std::make_shared<TreeState>();
    for (rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& file : level.files) {
        // Unreadable ones are reported when they are examined.
        const uint64_t entries =
            EntriesOf(db, PathOf(db, file), file.num_entries).value_or(0);
        tree->Add({.unknown = static_cast<double>(entries)}, level.level);
      }
    }
    family.tree = std::move(tree);
  }
}

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

class Planner {
 public:
  Planner(rocksdb::DB* db, const std::vector<FamilyToRebuild>& families,
          const RebuildFiltersOptions& options,
          const RebuildFiltersCallback& progress, RebuildFiltersReport* report,
          std::vector<PlannedFile>* plan)
      : db_(db),
        families_(families),
        options_(options),
        progress_(progress),
        report_(report),
        plan_(plan) {}

  Status Run() {
    for (const FamilyToRebuild& family : families_) {
      so_far_.files += family.files.file_count;
    }
    for (size_t i = 0; i < families_.size(); ++i) {
      RETURN_IF_ERROR(LookAtFamily(i));
    }
    TakeFiles();
    return Status::OK();
  }

 private:
  Status LookAtFamily(size_t index) {
    const FamilyToRebuild& family = families_[index];
    std::vector<PlannedFile> files;
    std::vector<FileRange> ranges;
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& meta : level.files) {
        PlannedFile file;
        file.family = index;
        file.number = meta.file_number;
        file.level = level.level;
        RETURN_IF_ERROR(LookAtFile(meta, &file));
        if (file.rebuild.path.empty()) continue;
        ranges.push_back({meta.smallestkey, meta.largestkey,
                          static_cast<double>(file.rebuild.rows)});
        files.push_back(std::move(file));
      }
    }
    const std::vector<KeyInterval> intervals =
        IntervalsOf(ranges, *family.options.comparator);
    double reads = 0;
    for (size_t i = 0; i < intervals.size(); ++i) {
      FileRebuild& file = files[i].rebuild;
      reads += intervals[i].share() * file.rate;
      file.saved_reads = intervals[i].share() * (file.rate - file.rate_after);
    }
    report_->reads.push_back({family.name, reads, reads});
    for (PlannedFile& file : files) {
      if (!file.is_worth_it) continue;
      if (file.rebuild.reason == RebuildReason::kTooLarge &&
          !options_.allow_more_reads) {
        ++report_->files_too_large;
      } else {
        worth_it_.push_back(std::move(file));
      }
    }
    return Status::OK();
  }

  // Its path stays empty if the file is gone or can't be read.
  Status LookAtFile(const SstFileMetaData& meta, PlannedFile* file) {
    RETURN_IF_ERROR(Continue(progress_, so_far_));
    ++so_far_.files_done;
    const std::string path = PathOf(db_, meta);
    const absl::StatusOr<FileFacts> facts =
        Describe(db_, path, meta.num_entries);
    if (absl::IsNotFound(facts.status())) return Status::OK();
    ++report_->files_examined;
    if (!facts.ok()) {
      report_->unreadable.emplace_back(facts.status().message());
      return Status::OK();
    }
    const FamilyToRebuild& family = families_[file->family];
    const bool for_hits = family.options.optimize_filters_for_hits;
    const bool nothing_below = (for_hits || IsLevelAware(family.policy)) &&
                               NothingBelow(family, meta, file->level);
    const TargetFilter target =
        TargetOfFile(family, file->level, facts->rows(), nothing_below);
    const Evaluation evaluation = Evaluate(*facts, target);
    if (facts->has_gaps && target.leaves_gaps) {
      report_->unreadable.push_back(absl::StrCat(
          path, ": ", facts->problems.front(), "; ", target.policy_name,
          " would write it again: use another policy, or "
          "whole_key_filtering=true"));
    }
    FileRebuild& rebuild = file->rebuild;
    rebuild.column_family = family.name;
    rebuild.path = path;
    rebuild.level = file->level;
    rebuild.bytes = meta.size;
    rebuild.rows = facts->rows();
    rebuild.reason = evaluation.reason.value_or(RebuildReason::kNoFilter);
    rebuild.rate = evaluation.rate_now;
    rebuild.rate_after = evaluation.rate_after;
    // With this option RocksDB would rewrite the file without a filter.
    if (for_hits && nothing_below) return Status::OK();
    file->is_worth_it = evaluation.pays;
    report_->files_no_better +=
        evaluation.reason.has_value() && !evaluation.pays;
    return Status::OK();
  }

  // By saved reads per byte of the file: whenever the run ends, no other order
  // would have saved more. Rejected: by rate alone, which begins with the last
  // level, and so the most bytes, if no file has a filter.
  void TakeFiles() {
    std::ranges::stable_sort(worth_it_, {}, [](const PlannedFile& file) {
      const auto bytes = std::max<uint64_t>(file.rebuild.bytes, 1);
      return -file.rebuild.saved_reads / bytes;
    });
    for (PlannedFile& file : worth_it_) {
      report_->reads[file.family].after -= file.rebuild.saved_reads;
      plan_->push_back(std::move(file));
    }
  }

  rocksdb::DB* db_;
  const std::vector<FamilyToRebuild>& families_;
  const RebuildFiltersOptions& options_;
  const RebuildFiltersCallback& progress_;
  RebuildFiltersReport* report_;
  std::vector<PlannedFile>* plan_;
  RebuildFiltersProgress so_far_;
  std::vector<PlannedFile> worth_it_;
};

}  // namespace

Status Continue(const RebuildFiltersCallback& progress,
                const RebuildFiltersProgress& so_far) {
  return !progress || progress(so_far)
             ? Status::OK()
             : Status::Incomplete("linebloom: cancelled");
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
  ListFiles(db, families);
  ListenerApi* const api =
      ApiOf(FindLevelSizeListener(families->front().options));
  if (api == nullptr) return Status::OK();
  for (FamilyToRebuild& family : *families) {
    family.choose = api->ChooserFor(db, family.name);
  }
  return Status::OK();
}

std::vector<PlannedFile> FindFiles(rocksdb::DB* db,
                                   const std::vector<FamilyToRebuild>& families,
                                   const std::vector<FileRebuild>& files) {
  std::map<std::string, PlannedFile> live;
  for (size_t i = 0; i < families.size(); ++i) {
    for (const rocksdb::LevelMetaData& level : families[i].files.levels) {
      for (const SstFileMetaData& meta : level.files) {
        PlannedFile& file = live[PathOf(db, meta)];
        file.family = i;
        file.number = meta.file_number;
        file.level = level.level;
      }
    }
  }
  std::vector<PlannedFile> plan;
  for (const FileRebuild& file : files) {
    const auto found = live.find(file.path);
    const bool is_gone = found == live.end();
    PlannedFile& planned =
        plan.emplace_back(is_gone ? PlannedFile() : found->second);
    planned.rebuild = file;
    planned.rebuild.outcome =
        is_gone ? RebuildOutcome::kGone : RebuildOutcome::kPlanned;
    planned.rebuild.message.clear();
  }
  return plan;
}

Status PlanFiles(rocksdb::DB* db, const std::vector<FamilyToRebuild>& families,
                 const RebuildFiltersOptions& options,
                 const RebuildFiltersCallback& progress,
                 RebuildFiltersReport* report, std::vector<PlannedFile>* plan) {
  return Planner(db, families, options, progress, report, plan).Run();
}

}  // namespace linebloom
