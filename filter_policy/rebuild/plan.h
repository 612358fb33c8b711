// Which files are worth rewriting, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "filter_policy/rebuild/family.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace linebloom {

// Where the file of the same place in RebuildFiltersReport::files is found.
struct PlannedFile {
  size_t family = 0;  // in the list of families
  uint64_t number = 0;
  int level = 0;  // where it is now
  bool filter_block_is_damaged = false;
};

// Looks at the filters of all live files of `families`, which may be open for
// reading only, and fills all of `report` but the outcomes. Incomplete once
// `progress` returns false. A file that a compaction takes away meanwhile, or
// that is too damaged to be looked at, is not in the plan.
rocksdb::Status MakePlan(rocksdb::DB* db, const std::vector<Family>& families,
                         const RebuildFiltersCallback& progress,
                         std::vector<PlannedFile>* plan,
                         RebuildFiltersReport* report);

}  // namespace linebloom
