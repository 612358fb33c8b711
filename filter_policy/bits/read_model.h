// What lookups read if filters, indexes and data share one LRU cache, and the
// bits per key that are never far off.
//
// By sorted runs, not files: a lookup of a missing row meets each run once, and
// a run's files are mostly alike. Its sizes are those of the table properties
// that events bring, its rates those of sizing.h, the bits of each run those of
// allocation.h, the cache that of cache_model.h. Lookups are evenly spread:
// told nothing of skew, it picks bits that read at most 1.04 of the best with
// Zipf's law (0.99, half the lookups hit).
//
// Sizes are in bytes, or in rows and keys. Nothing below 0; infinity, except as
// the number of slots, and NaN are not allowed. No locks, no state.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "linebloom/line.h"

namespace linebloom::read_model {

// What a filter takes, and the share of missing keys that it lets pass. Files
// without a filter have {0, 1}.
struct Filters {
  double bytes = 0;
  double rate = 1;
};

// A file of level 0, or a level below it. Sums over its files, which count as
// alike.
struct Run {
  double count = 1;  // of files
  double rows = 0;
  double filter_keys = 0;  // keys and prefixes
  double index_bytes = 0;
  double data_blocks = 0;
  double data_bytes = 0;  // in memory: uncompressed
  // If the files are not to be rewritten; else they get the filters of the
  // Choice.
  std::optional<Filters> kept = std::nullopt;
  // The share of the key space in the files' ranges, 0 to 1.
  double covered = 1;
  bool level0 = false;
};

// A column family. Several that share a cache, also of several databases, are
// several trees.
struct Tree {
  std::vector<Run> runs = {};  // the newest first
  // Relative to those of other trees. If all have 0, it isn't known, and each
  // has lookups by its rows.
  double lookups = 0;
  // False if its new files have no linebloom filter either: they keep theirs.
  bool renews = true;
  // Of the filters of new files.
  LineKind line = LineKind::kSolved;
};

double RowsOf(const Tree& tree);

// Whose filters and indexes stay in the cache, whatever else lookups request.
enum class Pinned { kNothing, kLevel0, kAll };

// What the cache charges for each block beside its bytes: RocksDB's handle, the
// object around the block and what malloc rounds up (7.8.3, blocks of 4 KB).
inline constexpr double kBlockOverhead = 200;

struct Cache {
  double capacity = 0;  // of all shards
  // How many blocks it has at most, whatever their bytes.
  double slots = HUGE_VAL;
  // RocksDB's default is as many as have 512 KB each, 64 at most. They fill
  // unevenly, which costs as much as a fifth of the memory.
  double shards = 1;
  // LRUCacheOptions::high_pri_pool_ratio: RocksDB's default is 0.5, db_bench's
  // 0. It matters little.
  double high_priority_share = 0.5;
  // BlockBasedTableOptions. cache_index_and_filter_blocks: else filters and
  // indexes have memory of their own, and are never read again.
  bool holds_metadata = true;
  bool high_priority_metadata = true;  // cache_index_and_filter_blocks_with_...
  bool partitioned = false;            // filters and indexes
  double metadata_block_bytes = 4096;  // at which a partition is full
  Pinned pinned = Pinned::kNothing;
};

// A cache of so much of the other's memory.
Cache PartOf(Cache cache, double share);

struct Load {
  double hit_share = 0;  // of the lookups, 0 to 1
  double scanned_blocks_per_lookup = 0;
  bool is_likely = true;  // or else it is enough to read no more than Bloom
};

// The filters of new files.
struct Choice {
  double average_bits = 10;  // per key, over all runs
  bool by_level = true;      // small runs get more: allocation.h
};

struct Reads {
  // Blocks that a lookup reads, and their kinds.
  double filter = 0;
  double index = 0;
  double data = 0;
  // Bytes of all filters and indexes.
  double filter_bytes = 0;
  double index_bytes = 0;

  double all() const { return filter + index + data; }
};

// The trees once all files have what new ones get.
std::vector<Tree> Renewed(std::vector<Tree> trees);

// The tree whose files keep the filters that `choice` gives new ones.
Tree WithFilters(Tree tree, const Choice& choice);

// What lookups and scans are expected to read if files have the filters that
// they keep or, without any, those of `choice`.
Reads ReadsPerLookup(std::vector<Tree> trees, const Cache& cache,
                     const Load& load, const Choice& choice);

// The choice, by level, of least regret: of any of the loads it reads at most
// so many times the fewest, as if the cache had kUsedShare of its bytes and
// slots. From 1 to 16 bits, in steps of a quarter; among choices about as good
// the one next to 10. `loads` is not empty. Of unlikely ones it is enough to
// read no more than RocksDB's Bloom filters of 10 bits.
//
// Rejected: the choice for one believed share of hits. If the share is wrong it
// read up to 176 times the fewest; knowing nothing, from 0 to 1, this reads at
// most 2.7 times as much, 1.1 in the median (640 cells of the model).
Choice BestChoice(const std::vector<Tree>& trees, const Cache& cache,
                  const std::vector<Load>& loads);

// Loads with so many shares of hits between the two that what is best for any
// share is about best for one of them.
std::vector<Load> LoadsBetween(double least_hits, double most_hits,
                               double scanned_blocks_per_lookup);

// Callers pass the cache as it is: this is the only margin. A cache taken for
// 10 % larger than it is costs up to 400 times the reads at the cliff, and one
// taken for 10 % smaller at most 2.4 times.
inline constexpr double kUsedShare = 0.95;

}  // namespace linebloom::read_model
