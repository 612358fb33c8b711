// What shares a block cache, as the model has it.
#pragma once

#include <vector>

#include "filter_policy/bits/read_model.h"
#include "filter_policy/tree/ledger.h"
#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/table.h"

namespace linebloom {

// What a table's options say of its use of a block cache.
read_model::Cache CacheUseOf(const rocksdb::BlockBasedTableOptions& table);

// The same with the block cache, as far as that tells.
read_model::Cache CacheOf(const rocksdb::BlockBasedTableOptions& table);

// What is known of a block cache and the trees that share it.
struct CacheLoad {
  read_model::Cache cache;
  double pinned_bytes = 0;
  std::vector<read_model::Tree> trees;
  FileTotals totals;  // of all files as they are
  FileTotals level0;  // of its files
  HitRange hits;
  bool sampled = false;  // a database has no Statistics
  double scanned_blocks_per_lookup = 0;
  double filters_read = 0;  // per lookup, if that tells of others; or else 0
  double rewritten = 0;     // the share of all rows, since the last time
  double most_bits = 30;    // of new files, on average
  double most_rows = 0;     // AutoBits::most_rows of the choice before

  // Bytes that others have of the cache for certain: the memory of memtables
  // that are charged to it, and pinned blocks.
  double others() const;
};

// Without the runs of the trees, which take longer than the rest.
CacheLoad LoadOf(const CacheUsers& users,
                 const rocksdb::BlockBasedTableOptions& table);
// Trees with about as many lookups per row become one, unless they are few.
void AddRuns(const CacheUsers& users, CacheLoad* load);

}  // namespace linebloom
