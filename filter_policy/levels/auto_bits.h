// The bits per key of bits_per_key=auto: those with which lookups are expected
// to read the least while filters, indexes and data share a block cache
// (read_model.h).
#pragma once

#include <vector>

#include "filter_policy/levels/lookup_load.h"
#include "filter_policy/levels/new_file.h"
#include "filter_policy/levels/read_model.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom {

// What is assumed of lookups until some are counted. Filters are for lookups
// that miss: if none hit, assuming 10 % reads 5.3 times the fewest, 3 % 2.1.
inline constexpr double kAssumedHits = 0.03;

struct AutoBits {
  // Over all keys of the trees that share the block cache, for BitsForFile().
  double average_bits = kDefaultBitsPerKey;
  // False if files of the last sorted run get no filter. `average_bits` is then
  // that of the other runs.
  bool filters_last_run = true;

  // For the info log. False if the bits don't depend on what follows: filters
  // are outside a block cache, or nothing is known of the trees.
  bool is_chosen = false;
  double cache_bytes = 0;  // without what others have of it
  double index_bytes = 0;
  double hit_share = 0;  // of the lookups that reach SSTables
  bool counted = false;  // false: hit_share is assumed
  bool sampled = false;  // counted from a sample of the filters' answers
  double reads = 0;      // per lookup, as expected with the bits
  double reads_with_10 = 0;
};

// The bits for `file`, whose table has the options `table` and its filters in
// the block cache. Thread-safe.
AutoBits ChooseBits(const NewFile& file,
                    const rocksdb::BlockBasedTableOptions& table);

// The table's block cache, as far as it tells.
read_model::Cache CacheOf(const rocksdb::BlockBasedTableOptions& table);

// What is known of a block cache and the trees that share it.
struct CacheLoad {
  read_model::Cache cache;
  double used_bytes = 0;
  double pinned_bytes = 0;
  std::vector<read_model::Tree> trees;
  FileTotals totals;  // of all files as they are
  FileTotals level0;  // of its files
  Lookups lookups;
  bool sampled = false;  // a database has no Statistics

  // Bytes that others have of the cache for certain: the memory of memtables
  // that are charged to it, pinned blocks, or what is in it beyond all blocks
  // of the trees.
  double others() const;
};

// The choice for the files of a block cache, one after the other. It goes down
// at once, and up in steps, if half a bit more is best: near the cliff a bit
// too much multiplies the reads, and one too few costs a fraction. Not
// thread-safe.
class SteadyChoice {
 public:
  // For the next file.
  AutoBits Next(CacheLoad load);

 private:
  read_model::Load LoadOf(const CacheLoad& load);
  void Follow(const read_model::Choice& best);

  double bits_ = 0;  // 0: none yet
  bool filters_last_run_ = true;
  bool went_down_ = false;
  double hit_share_ = -1;  // below 0: not known yet
  bool counted_ = false;
  bool sampled_ = false;
  double others_ = 0;  // bytes, when it was asked last
};

}  // namespace linebloom
