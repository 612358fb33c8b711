// The bits per key of bits_per_key=auto: those with which lookups are expected
// to read the least while filters, indexes and data share a block cache.
#pragma once

#include "filter_policy/levels/new_file.h"
#include "rocksdb/table.h"

namespace linebloom {

inline constexpr double kBitsWithoutFacts = 10;

struct AutoBits {
  // Over all keys of the trees that share the block cache, for BitsForFile().
  double average_bits = kBitsWithoutFacts;
  // False if files of the last sorted run get no filter. `average_bits` is then
  // that of the other runs.
  bool filters_last_run = true;

  // For the info log. False if the bits don't depend on what follows: filters
  // are outside a block cache, or nothing is known of the tree.
  bool is_chosen = false;
  double cache_bytes = 0;
  double index_bytes = 0;
  double hit_share = 0;  // of the lookups that reach SSTables
  bool counted = false;  // false: hit_share is assumed
  double reads = 0;      // per lookup, as expected with the bits
  double reads_with_10 = 0;
};

// The bits for `file`, whose table has the options `table`. Thread-safe.
AutoBits ChooseBits(const NewFile& file,
                    const rocksdb::BlockBasedTableOptions& table);

}  // namespace linebloom
