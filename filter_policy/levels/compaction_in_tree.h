// A compaction seen as a change of a tree.
#pragma once

#include <memory>
#include <optional>

#include "filter_policy/levels/family_heat.h"
#include "filter_policy/levels/filter_account.h"
#include "filter_policy/levels/known_filters.h"
#include "filter_policy/levels/tree_sizes.h"
#include "rocksdb/listener.h"

namespace linebloom {

// A running compaction, as if it had finished and dropped nothing.
struct CompactionInTree {
  std::shared_ptr<const TreeSizes> tree;
  double input_keys = 0;
  std::optional<KeyRange> range;  // of the input, if known
};

// `tree` is as it was before the compaction.
CompactionInTree Finish(const rocksdb::CompactionJobInfo& job,
                        const KnownFilters& known, TreeSizes tree);

// The filters of the inputs, whose properties RocksDB passes along.
FilterTotals FiltersOfInputs(const rocksdb::CompactionJobInfo& job);

// True if RocksDB only moved files from level 0 down (a trivial move). It then
// lists the same files as input and output.
bool MovedFlushedFiles(const rocksdb::CompactionJobInfo& job);

}  // namespace linebloom
