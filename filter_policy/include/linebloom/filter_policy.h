// linebloom: a RocksDB filter policy whose filters are cut into 64-byte lines.
//
// Each lookup of a key probes one line, which is one cache line of memory. It
// loads two lines and one byte of a table of 1/512 of the filter at once,
// because that byte says which line it is. The builder solves each line as a
// system of equations, which at 10 bits per key gives less than a seventh of
// the false positives of a blocked Bloom filter in the same memory.
//
//   rocksdb::BlockBasedTableOptions table;
//   table.filter_policy.reset(linebloom::NewFilterPolicy(10));
//   options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
//
// or, once this library is loaded, with an option string wherever RocksDB takes
// one:
//
//   filter_policy=linebloom:10
//   filter_policy={id=linebloom;bits_per_key=10;line=plain}
//   filter_policy={id=linebloom;false_positive_rate=0.01;level_aware=true}
//   filter_policy={id=linebloom;memory_budget=90%}
//
// This header needs only C++17 and RocksDB's public headers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "linebloom/export.h"
#include "linebloom/line.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"

namespace linebloom {

// FilterPolicyOptions::hash_seed: a separate seed for each file. The only
// number that can't be a seed itself.
inline constexpr uint64_t kRandomHashSeed = ~uint64_t{0};

// Maps a key to the bytes that filters hash. For comparators that call keys of
// different bytes equal, such as one that ignores case: a filter without it
// rejects a key that was written with other bytes, and the row isn't found.
//
//   class LowerCase final : public linebloom::CanonicalKey {
//    public:
//     const char* Name() const noexcept override { return "ascii_lower_case"; }
//     void Append(const rocksdb::Slice& key,
//                 std::string* canonical) const noexcept override {
//       for (const char c : key.ToStringView()) *canonical += LowerCaseOf(c);
//     }
//   };
//
// All functions are called from many threads at once, and must not throw:
// RocksDB doesn't expect exceptions. The policy, its builders and its readers
// share the object, and a block cache may keep readers for as long as it lives.
class CanonicalKey {
 public:
  virtual ~CanonicalKey() = default;

  // Identifies the function, not empty and always the same. Filters store a
  // number made of it, and only a policy whose function has the same name
  // probes them; to all others they match every key. So change the name
  // whenever the function returns other bytes for any key.
  virtual const char* Name() const noexcept = 0;

  // Appends the canonical bytes of `key` to `*canonical`, which is empty. If
  // the comparator calls two keys equal, their bytes must be equal. Unequal
  // keys should have different ones: a filter can't tell keys of equal bytes
  // apart.
  //
  // With a prefix_extractor, `key` may also be the prefix of a key, and nothing
  // says which it is. Equal keys must then both have a prefix, with the same
  // canonical bytes, or both have none. Timestamps are not in `key`.
  virtual void Append(const rocksdb::Slice& key,
                      std::string* canonical) const noexcept = 0;
};

// Memory for filters, in bytes or as a share of the block cache.
struct MemoryBudget {
  // NOLINTNEXTLINE(google-explicit-constructor): memory_budget = 512 << 20
  constexpr MemoryBudget(uint64_t of_bytes) : bytes(of_bytes) {}

  // `percent` of the capacity that the table's block cache has when a file is
  // written: more than 0, at most 100. For filters alone: lookups of missing
  // keys rarely need indexes and data. With 90 they read at most 1.11 times
  // what the best number of bits for each size of cache reads (docs/tuning.md).
  // With cache_index_and_filter_blocks=false filters take that memory besides
  // the cache.
  static constexpr MemoryBudget OfBlockCache(double percent) {
    MemoryBudget budget(0);
    budget.percent_of_cache = percent;
    return budget;
  }

  uint64_t bytes;               // at least 1, unless it is a share
  double percent_of_cache = 0;  // 0: none
};

// The options of a policy. Option strings use the same names.
struct FilterPolicyOptions {
  // Bits of filter memory per key, 0 to 30, rounded to thousandths. Below 0.5
  // no filter is built; 0.5 to 1 counts as 1, as in RocksDB. If neither this,
  // `false_positive_rate` nor `memory_budget` is set: 10.
  std::optional<double> bits_per_key = std::nullopt;

  // The kind of line that filters are cut into (linebloom/line.h has what each
  // costs). Filters of both kinds are read, whatever the policy builds. Plain
  // lines exclude `hash_seed`, `false_positive_rate` and `canonical_key`.
  LineKind line = LineKind::kSolved;

  // Against keys that somebody chose so that filters let them through, or so
  // that they crowd few lines. 0: hashes are public (XXH3), and such keys can
  // be found offline. Any other number is the secret key of a keyed hash
  // (SipHash-1-3), the same in all files; with kRandomHashSeed, `random` in
  // option strings, every file gets a seed of its own from the operating
  // system. A lookup of a missing key takes two to three times as long.
  //
  // Each filter stores its seed in 8 bytes, so files with and without seeds can
  // be mixed. SECURITY.md has what a seed withstands and what not: above all,
  // who can read the files knows it, and a key that a file's filter once let
  // through passes it until the file is rewritten.
  uint64_t hash_seed = 0;

  // Replaces bits: the share of missing keys that filters should let through,
  // more than 0 and less than 1. Each file gets the lines that its number of
  // keys needs for it. A target, not a bound: at rates down to 0.001, filters
  // of 10,000 keys and more come within 3 % of it. Smaller ones round up to
  // whole lines, so they are below it, by up to 12 % with 3,000 keys and 35 %
  // with 1,000. Keys that somebody chose to crowd into few lines raise the
  // rate, not the memory. Each filter stores its exact rate. Rates that 30 bits
  // per key cannot reach are rejected.
  std::optional<double> false_positive_rate = std::nullopt;

  // Shares the memory among the sorted runs of the tree to minimize the reads
  // of lookups of missing keys: a small run gets more bits per key than a large
  // one (Monkey, SIGMOD 2017). `bits_per_key`, at least 1, is then the average
  // over all keys of the tree, and `false_positive_rate` is the sum of the
  // rates of all runs, which is the expected number of reads per missing key.
  //
  // The sizes of the runs come from a listener
  // (linebloom/level_size_listener.h). Without one every file gets the average
  // or the whole sum, and the first filter built writes a warning to the
  // database's info log; so do files of SstFileWriter and of remote
  // compactions, which call no listener. A file keeps its bits when RocksDB
  // moves it to another level without rewriting it.
  bool level_aware = false;

  // Instead of bits or a rate: the memory of all filters together, in bytes or
  // as a share of the block cache (option strings: 512M, 90%). 'All' are the
  // filters of the live files of every column family of every database that one
  // listener (linebloom/level_size_listener.h) serves, whoever built them. So
  // give all policies of a listener the same budget, and databases with budgets
  // of their own a listener each. A database without such a listener fails to
  // open, and with a share one without a block cache.
  //
  // A new file gets the bits per key that the budget has for all live keys, and
  // up to 2 more or fewer by its level (`level_aware` need not be set), at
  // least 1. Of what there is beyond 10 bits, half is kept for keys to come,
  // and a tree gets at most 16 on average. So files get fewer bits as trees
  // grow; old ones keep theirs until a compaction rewrites them.
  //
  // It is an aim, not a bound: while compactions lag there are more keys, and
  // filters take 1.3 to 1.7 times the budget. Files that RocksDB rarely
  // rewrites keep the bits of a smaller tree: those of a load in key order,
  // which it only moves, came to 2 times a budget of 5 bits per key, and those
  // of universal compaction to 1.7. linebloom::RebuildFilters brings filters
  // back to the budget.
  std::optional<MemoryBudget> memory_budget = std::nullopt;

  // If set, filters hash these bytes of keys and prefixes instead of the keys
  // and prefixes themselves. Filters that hash other bytes match every key
  // until their files are rewritten: those from before it was set, those of
  // RocksDB, and those of another function. So do filters that hash these bytes
  // in policies that don't have the function, and there is no option string for
  // it: set it again after rocksdb::LoadLatestOptions(), like the comparator.
  //
  // Null: the keys themselves. If RocksDB opens a column family whose
  // comparator says CanKeysWithDifferentByteContentsBeEqual(), the first filter
  // built then writes a warning to the database's info log.
  std::shared_ptr<const CanonicalKey> canonical_key = nullptr;
};

inline constexpr double kDefaultBitsPerKey = 10.0;

// The ID in option strings, and the result of FilterPolicy::Name().
inline constexpr char kFilterPolicyName[] = "linebloom";

// Returns a new policy that the caller owns (hand it to a `std::shared_ptr`).
// Never null: options out of range are reported when RocksDB validates them,
// that is when a database is opened or a policy is made from a string, as
// Status::InvalidArgument that names option, value and range. Where RocksDB
// does not (SstFileWriter, SetOptions(), read-only and secondary instances,
// before 9.8 CreateColumnFamily()), such a policy builds filters with the
// nearest options that are valid, and says so once in the database's info log.
// In a RocksDB of another minor version than the one that linebloom was
// compiled with, or whose filter interfaces answer differently, the policy
// fails validation in the same way, and where RocksDB validates nothing it
// builds and reads no filters.
//
// BlockBasedTableOptions::optimize_filters_for_memory is honoured: filters fill
// the memory that malloc provides for their blocks, and in the long run keep
// the rate that they would have without it. The size of a filter then depends
// on the allocator and on the filters before it. With `false_positive_rate` the
// option has no effect.
//
// The policy builds linebloom filters and reads linebloom's and RocksDB's own,
// so a database can switch to it without rewriting its files: RocksDB's Bloom
// filters are probed by the kernels of this CPU at once. It can switch back
// too, but RocksDB's policies read filters of solved lines as 'may match':
// lookups are right but unfiltered until the files are rewritten
// (linebloom/rebuild_filters.h). The policy is immutable once prepared; all of
// its functions may be called from many threads.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options);

// The same with all other options at their defaults, like
// `NewBloomFilterPolicy(10)`.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    double bits_per_key);

// Registers the ID `linebloom` with RocksDB's object registry, so that option
// strings find it. Loading the shared library does this, and so does starting a
// program that links the archive by its CMake target or pkg-config --static.
// One that links it otherwise calls this before parsing options. The registry
// can't forget: the shared library stays loaded, and a plug-in that contains
// the archive must not be unloaded. Further calls have no effect. In a RocksDB
// of another minor version it registers nothing, and the ID stays unknown.
// Thread-safe.
LINEBLOOM_EXPORT void RegisterFilterPolicy();

}  // namespace linebloom
