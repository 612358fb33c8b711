// The bits per key of bits_per_key=auto: those that are never far off while
// filters, indexes and data share a block cache (read_model.h).
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "filter_policy/bits/cache_load.h"
#include "filter_policy/bits/read_model.h"
#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/new_file.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom {

// Reads per lookup, as expected if the least and the most share of the lookups
// hits that may.
struct ReadRange {
  double least_hits = 0;
  double most_hits = 0;
};

struct AutoBits {
  // Over all keys of the trees that share the block cache, for BitsForFile().
  double average_bits = kDefaultBitsPerKey;

  // For the info log. False if the bits don't depend on what follows: filters
  // are outside a block cache, or nothing is known of the trees.
  bool is_chosen = false;
  double cache_bytes = 0;
  double others_bytes = 0;  // what others have of these
  double index_bytes = 0;
  HitRange hits;            // of the lookups that reach SSTables
  ReadRange reads;          // once all have what new ones get
  bool is_sampled = false;  // a database of the cache has no Statistics
  double most_rows = 0;     // that the trees may grow to: the most so far
};

// What lookups of `load` read in the trees, whose files have the filters that
// they keep or, without any, those of `choice`.
ReadRange ReadsOf(const std::vector<read_model::Tree>& trees,
                  const CacheLoad& load, const read_model::Choice& choice = {});

// The bits for new files of a cache, and what lookups of `load` read.
AutoBits BitsFor(const CacheLoad& load);

// The bits for `file`, whose table has the options `table` and its filters in
// the block cache. Thread-safe.
AutoBits ChooseBits(const NewFile& file,
                    const rocksdb::BlockBasedTableOptions& table);

// The choices for the files of a block cache. One is kept until what it stands
// on has moved by a few per cent. Thread-safe.
class SteadyChoice {
 public:
  // For the next file. `add_runs`, unless it is null, adds the runs of the
  // load's trees if they are needed.
  AutoBits Next(CacheLoad load,
                const std::function<void(CacheLoad*)>& add_runs = nullptr);

 private:
  std::mutex mutex_;
  double others_ = 0;     // bytes, when it was asked last
  double share_ = 1;      // of the rest, that the trees seem to have
  double rewritten_ = 0;  // rows, by the trees', since that was measured
  CacheLoad load_;        // of the choice, without its trees
  AutoBits bits_;
};

}  // namespace linebloom
