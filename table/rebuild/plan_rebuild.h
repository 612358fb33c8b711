// Which files of a database RebuildFilters() rewrites, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "filter_policy/tree/lookup_load.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"
#include "table/rebuild/evaluate.h"

namespace linebloom {

// A live file: examined, then planned if its filter is poor, then rewritten.
struct PlannedFile {
  FileRebuild rebuild;  // for the report
  size_t family = 0;    // index into the families and their reads
  uint64_t number = 0;
  int level = 0;  // where it is now
  bool is_worth_it = false;
};

// Incomplete if `progress` returns false.
rocksdb::Status Continue(const RebuildFiltersCallback& progress,
                         const RebuildFiltersProgress& so_far);

// The column families of `options`, of whose lookups `hits` is known, if
// anything is beside what this process counts. InvalidArgument if a policy
// can't be rebuilt for.
rocksdb::Status ReadFamilies(rocksdb::DB* db,
                             const RebuildFiltersOptions& options,
                             const std::optional<HitRange>& hits,
                             std::vector<FamilyToRebuild>* families);

// Finds the files of an earlier plan. Files that are gone get that outcome.
std::vector<PlannedFile> FindFiles(const std::vector<FamilyToRebuild>& families,
                                   const std::vector<FileRebuild>& files);

// Examines the filters of all live files of `families` and fills in all of
// `report` except `files`. Incomplete if `progress` returns false. Omits files
// that a compaction removes meanwhile, and files too damaged to examine.
rocksdb::Status PlanFiles(rocksdb::DB* db,
                          const std::vector<FamilyToRebuild>& families,
                          const RebuildFiltersCallback& progress,
                          RebuildFiltersReport* report,
                          std::vector<PlannedFile>* plan);

// RebuildFilters() where another process, the application, looks up: `hits` is
// what is known of its lookups.
rocksdb::Status RebuildFiltersFor(const HitRange& hits, rocksdb::DB* db,
                                  const RebuildFiltersOptions& options,
                                  const RebuildFiltersCallback& progress,
                                  RebuildFiltersReport* report);

}  // namespace linebloom
