// Decides which files are worth rewriting, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "filter_policy/rebuild/judgement.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace linebloom {

// Locates the file at the same index in RebuildFiltersReport::files.
struct PlannedFile {
  size_t family = 0;  // index into the list of families
  uint64_t number = 0;
  int level = 0;  // where it is now
  bool filter_block_is_damaged = false;
};

// Examines the filters of all live files of `families` and fills in all of
// `report` except the outcomes. Incomplete if `progress` returns false. Omits
// files that a compaction removes meanwhile, and files too damaged to examine.
rocksdb::Status MakePlan(rocksdb::DB* db, const std::vector<Family>& families,
                         const RebuildFiltersCallback& progress,
                         std::vector<PlannedFile>* plan,
                         RebuildFiltersReport* report);

// Reads the footer at `path` again. Corruption, or other errors of reading, if
// RocksDB should not open the file: before format_version 6 the footer has no
// checksum, and RocksDB allocates as many bytes as it says.
rocksdb::Status CheckFooter(rocksdb::FileSystem* file_system,
                            const std::string& path);

}  // namespace linebloom
