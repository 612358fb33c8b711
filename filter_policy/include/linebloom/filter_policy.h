// linebloom: a RocksDB filter policy whose filters are cut into 64-byte lines.
//
// Every lookup of a key reads one line, one cache line of memory, so a missing
// row is answered from memory at the cost of one cache miss. The builder solves
// each line as a system of equations, which leaves about a sixth of the false
// positives of a blocked Bloom filter in the same memory.
//
//   rocksdb::BlockBasedTableOptions table;
//   table.filter_policy.reset(linebloom::NewFilterPolicy(10));
//   options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
//
// or, once this library is loaded, by an option string wherever RocksDB takes
// one:
//
//   filter_policy=linebloom:10
//   filter_policy={id=linebloom;bits_per_key=10;line=plain}
//   filter_policy={id=linebloom;false_positive_rate=0.01;level_aware=true}
//
// This header needs C++17 and RocksDB's public headers, nothing else.
#pragma once

#include <cstdint>
#include <optional>

#include "linebloom/export.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// The kind of a filter's lines. A lookup reads one of them in any case, and
// files with either kind are read whatever the policy builds.
enum class Line : uint8_t {
  // Solved from the keys like a system of equations: a sixth of the rate of a
  // Bloom filter at 10 bits per key. Below 2.25 bits plain lines are built.
  kSolved,
  // A classic Bloom filter in each cache line: the rate of RocksDB's own Bloom
  // filter, and the fastest to build.
  kPlain,
};

// What a policy is made from. The option string has the same names.
struct FilterPolicyOptions {
  // Bits of filter memory per key, 0 to 30, to the nearest thousandth. Below
  // 0.5 no filter is built; from 0.5 to 1 it counts as 1, as in RocksDB.
  // Without a number here and in `false_positive_rate`: 10.
  std::optional<double> bits_per_key = std::nullopt;

  Line line = Line::kSolved;

  // Mixed into the hash of every key and stored in each filter, so files built
  // with different seeds can be read side by side. A secret seed withstands
  // lists of keys that were made for another one. It does not withstand an
  // attacker who inserts keys of 17 bytes or more and watches which lookups
  // reach the disk: XXH3's seed can be recovered from enough answers.
  uint64_t hash_seed = 0;

  // Instead of bits: the share of missing keys that a filter may let through,
  // more than 0 and less than 1. Every file then gets the fewest lines that its
  // keys need for it, found by building them: the rate that a filter will have
  // is known once it is built. It ends up to 3 % below what was asked for, for
  // a few keys further, and building takes once or twice the time, for 65,536
  // keys and fewer up to eight times. No file takes more than 1.3 times the
  // memory that its number of keys needs, even if somebody chose keys that
  // crowd few lines; the rate it then reaches is stored in the filter. Rates
  // that 30 bits per key cannot reach are rejected.
  std::optional<double> false_positive_rate = std::nullopt;

  // Shares the memory among the sorted runs of the tree so that a lookup of a
  // missing key reads as little as it can: a small run gets more bits per key
  // than a large one (Monkey, SIGMOD 2017). `bits_per_key`, at least 1, is then
  // the average over the tree's keys; `false_positive_rate` the sum of the
  // rates of all runs, so the reads to expect for each missing key.
  //
  // The sizes of the runs come from a listener
  // (linebloom/level_size_listener.h) or, without one, from `size_ratio`. A
  // file keeps its bits when RocksDB moves it to another level without writing
  // it anew.
  bool level_aware = false;

  // How many times as large as the level above it a level is, 2 to 1000;
  // RocksDB's max_bytes_for_level_multiplier. For level_aware only.
  double size_ratio = 10.0;
};

inline constexpr double kDefaultBitsPerKey = 10.0;

// The id in option strings and what `FilterPolicy::Name()` returns.
inline constexpr char kFilterPolicyName[] = "linebloom";

// Returns a new policy that the caller owns (hand it to a `std::shared_ptr`).
// Never null: options out of range are reported when RocksDB validates them,
// that is when a database is opened or a policy is made from a string, as
// Status::InvalidArgument that names option, value and range. Where RocksDB
// does not (SstFileWriter, SetOptions(), before 9.8 CreateColumnFamily()), such
// a policy builds filters with the nearest options that are valid, and says so
// once in the database's info log. In a RocksDB of another minor version than
// the one that linebloom was compiled with, or whose filter interfaces answer
// differently, the policy fails validation in the same way and builds and reads
// nothing.
//
// The policy builds linebloom filters and reads linebloom's and RocksDB's own,
// so a database can switch to it and back without rewriting its files. It is
// immutable once prepared; all of its functions may be called from many
// threads.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options);

// The same with every other option at its default; reads like
// `NewBloomFilterPolicy(10)`.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    double bits_per_key);

// Registers the id `linebloom` with RocksDB's object registry so that option
// strings find it. Loading the shared library does this by itself, and it then
// stays loaded, for the registry can't forget; a program that links the static
// library calls it once before it parses options, and a plug-in with the static
// library in it must not be unloaded afterwards. Further calls change nothing.
// Thread-safe.
LINEBLOOM_EXPORT void RegisterFilterPolicy();

}  // namespace linebloom
