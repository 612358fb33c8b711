#include "table/rebuild/plan_rebuild.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/tree/ledger.h"
#include "filter_policy/tree/new_file.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/comparator.h"
#include "rocksdb/metadata.h"
#include "table/file_facts.h"
#include "table/sst_file.h"
#include "table/status.h"

namespace linebloom {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::SstFileMetaData;
using rocksdb::Status;

std::string PathOf(const SstFileMetaData& file) {
  return absl::StrCat(file.directory, "/", file.relative_filename);
}

// A file that is readable except for its filter is worth rewriting.
absl::StatusOr<FileFacts> Describe(rocksdb::DB* db, const std::string& path) {
  ASSIGN_OR_RETURN(const SstFile file,
                   SstFile::Open(path, db->GetFileSystem()));
  absl::StatusOr<FileFacts> read = ReadFileFacts(file);
  if (read.ok() || !absl::IsDataLoss(read.status())) return read;
  FileFacts facts;
  facts.properties = file.properties();
  facts.filter_kind = file.filter().kind;
  facts.compatibility_name = file.filter().compatibility_name;
  facts.problems.emplace_back(read.status().message());
  return facts;
}

// The metadata has them only of files that RocksDB has opened. (Don't make it
// open the rest: a damaged footer can make it throw.) 0 for files that can't be
// read, which are reported when they are examined.
double EntriesOf(rocksdb::DB* db, const SstFileMetaData& meta) {
  uint64_t entries = meta.num_entries;
  if (entries == 0) {
    const auto file = SstFile::Open(PathOf(meta), db->GetFileSystem());
    if (file.ok()) entries = file->properties().num_entries;
  }
  return static_cast<double>(entries);
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
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& file : level.files) {
        tree->Add({.unknown = EntriesOf(db, file)}, level.level);
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
          const RebuildFiltersCallback& progress, RebuildFiltersReport* report,
          std::vector<PlannedFile>* plan)
      : db_(db),
        families_(families),
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
    std::map<int, double> rows;  // of each level
    for (const rocksdb::LevelMetaData& level : family.files.levels) {
      for (const SstFileMetaData& meta : level.files) {
        PlannedFile file;
        file.family = index;
        file.number = meta.file_number;
        file.level = level.level;
        RETURN_IF_ERROR(LookAtFile(meta, &file));
        if (file.rebuild.path.empty()) continue;
        rows[level.level] += static_cast<double>(file.rebuild.rows);
        files.push_back(std::move(file));
      }
    }
    double reads = 0;
    for (PlannedFile& planned : files) {
      FileRebuild& file = planned.rebuild;
      if (file.rows == 0) continue;
      // Every file of level 0 is probed, and one of each level below.
      const double share =
          file.level == 0 ? 1
                          : static_cast<double>(file.rows) / rows[file.level];
      reads += share * file.rate;
      file.saved_reads = share * (file.rate - file.rate_after);
    }
    report_->reads.push_back({family.name, reads, reads});
    for (PlannedFile& file : files) {
      if (file.is_worth_it) worth_it_.push_back(std::move(file));
    }
    return Status::OK();
  }

  // Its path stays empty if the file is gone or can't be read.
  Status LookAtFile(const SstFileMetaData& meta, PlannedFile* file) {
    RETURN_IF_ERROR(Continue(progress_, so_far_));
    ++so_far_.files_done;
    const std::string path = PathOf(meta);
    const absl::StatusOr<FileFacts> facts = Describe(db_, path);
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
                    const std::optional<HitRange>& hits,
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
    const std::string problem = ReadPolicy(&family);
    if (problem.empty()) continue;
    return Status::InvalidArgument(
        "linebloom: column family '" + family.name + "'", problem);
  }
  ListFiles(db, families);
  ListenerApi* const api = FindListener(families->front().options);
  if (api == nullptr) return Status::OK();
  for (FamilyToRebuild& family : *families) {
    // UsersFor() lists the files anew if any were deleted: no event tells of
    // those that CompactFiles() has written in their place.
    family.users_of = [api, db, name = family.name, hits](
                          const NewFile& file,
                          const rocksdb::BlockBasedTableOptions& table) {
      CacheUsers users = api->UsersFor(db, name)(file, table);
      users.hits = hits;
      return users;
    };
  }
  return Status::OK();
}

std::vector<PlannedFile> FindFiles(const std::vector<FamilyToRebuild>& families,
                                   const std::vector<FileRebuild>& files) {
  std::map<std::string, PlannedFile> live;
  for (size_t i = 0; i < families.size(); ++i) {
    for (const rocksdb::LevelMetaData& level : families[i].files.levels) {
      for (const SstFileMetaData& meta : level.files) {
        PlannedFile& file = live[PathOf(meta)];
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
                 const RebuildFiltersCallback& progress,
                 RebuildFiltersReport* report, std::vector<PlannedFile>* plan) {
  return Planner(db, families, progress, report, plan).Run();
}

}  // namespace linebloom
