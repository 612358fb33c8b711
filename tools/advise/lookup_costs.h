// What lookups read if filters, indexes and data share one block cache.
#pragma once

#include <vector>

#include "rocksdb/table.h"
#include "table/expected_reads.h"
#include "tools/advise/skew.h"

namespace linebloom::tools {

// A file of a tree, without its filter.
struct TreeFile {
  double rows = 0;
  double filter_keys = 0;  // keys and prefixes
  double data_blocks = 0;
  double data_block_bytes = 0;  // of each, in memory
  double index_bytes = 0;
  int level = 0;
  double older_rows = 0;  // of older runs, in its range
  Stretch place;          // of its range, by PlacesOf()
};

// A file's filter.
struct FilterSize {
  double bytes = 0;  // 0: there is none
  double rate = 1;   // of false positives
};

// A column family's files.
struct Tree {
  std::vector<TreeFile> files;
  double share = 1;  // of all lookups
};

// How the block cache is used (BlockBasedTableOptions).
struct CacheUse {
  static CacheUse Of(const rocksdb::BlockBasedTableOptions& table);

  double capacity = 0;        // bytes, of a shard
  bool holds_filters = true;  // and indexes
  bool partitioned = false;
  bool pin_level0 = true;
  double metadata_block_bytes = 4096;
};

// Blocks that a lookup reads, by kind.
struct Reads {
  double filter = 0;
  double index = 0;
  double data = 0;

  double all() const { return filter + index + data; }
};

struct ExpectedReads {
  Reads per_missing;
  Reads per_present;
  double filter_bytes = 0;
  double index_bytes = 0;
  double largest_block = 0;  // bytes, of filters and indexes

  double per_lookup(double hit_ratio) const {
    return (1 - hit_ratio) * per_missing.all() + hit_ratio * per_present.all();
  }
};

// Which lookups there are.
struct ExpectedLookups {
  double hit_ratio = 0;  // share of those whose row exists
  Skew skew;             // of all, over the rows of a column family
};

// `filters` has one for each file of each tree. Takes a row for present in one
// run only, and a lookup of a present row to go through the runs above it.
ExpectedReads ExpectReads(const std::vector<Tree>& trees,
                          const std::vector<std::vector<FilterSize>>& filters,
                          const CacheUse& use, const ExpectedLookups& lookups);

}  // namespace linebloom::tools
