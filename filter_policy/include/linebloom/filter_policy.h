// linebloom: a RocksDB filter policy whose filters are cut into 64-byte lines.
//
// Each lookup of a key probes one line, which is one cache line of memory. It
// loads two lines and one byte of a table of 1/512 of the filter at once,
// because that byte says which line it is. The builder solves each line as a
// system of equations, which at 10 bits per key gives less than a seventh of
// the false positives of a blocked Bloom filter in the same memory.
//
//   linebloom::Use(&options);
//
// sets the policy, and the listener that tells it about the database, or
//
//   table.filter_policy.reset(linebloom::NewFilterPolicy(10));
//
// the policy alone, or, once this library is loaded, an option string wherever
// RocksDB takes one:
//
//   listeners=linebloom_level_sizes
//   filter_policy=linebloom
//   filter_policy=linebloom:10
//   filter_policy=linebloom:plain
//   filter_policy={id=linebloom;bits_per_key=10;level_aware=true}
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
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

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

// The options of a policy. Option strings use the same names.
struct FilterPolicyOptions {
  // Bits of filter memory per key, 0 to 30, rounded to thousandths. Below 0.5
  // no filter is built; 0.5 to 1 counts as 1, as in RocksDB.
  //
  // Unset, in option strings `auto`, and no `false_positive_rate` set: each new
  // file gets the bits with which lookups are expected to read the fewest
  // blocks, more in small levels; at most 10 where little is rewritten, as in
  // universal compaction. That takes the listener (Use(), below) and filters in
  // the block cache (cache_index_and_filter_blocks=true): there they compete
  // with data for memory. Outside of it files get 10 bits on average, more in
  // small levels, and without the listener 10 bits; so do files of
  // SstFileWriter and of remote compactions, which call no listener. The info
  // log says which bits were chosen and why, and once what is missing.
  std::optional<double> bits_per_key = std::nullopt;

  // The kind of line that filters are cut into (linebloom/line.h has what each
  // costs). Filters of both kinds are read, whatever the policy builds. Plain
  // lines exclude `hash_seed` and `canonical_key`.
  LineKind line = LineKind::kSolved;

  // Against keys that somebody chose so that filters let them through, or so
  // that they crowd few lines. 0: hashes are public (XXH3), and such keys can
  // be found offline. Any other number is the secret key of a keyed hash
  // (SipHash-1-3), the same in all files; with kRandomHashSeed, `random` in
  // option strings, every file gets a seed of its own from the operating
  // system. A lookup of a missing key takes two to three times as long.
  //
  // Each filter stores its seed in 8 bytes, so files with and without seeds can
  // be mixed. SECURITY.md has the limits of a seed: above all, everyone who can
  // read the files can read the seed, and a key that a file's filter once let
  // through passes it until the file is rewritten.
  uint64_t hash_seed = 0;

  // Instead of bits: the share of missing keys that filters should let through,
  // more than 0 and less than 1. It stands for the fewest bits per key with
  // which large filters have it; rates that 30 bits cannot reach are rejected.
  // Filters of 10,000 keys and more come within 3 % of it at rates down to
  // 0.001. Smaller ones round up to whole lines, so they are below it.
  std::optional<double> false_positive_rate = std::nullopt;

  // Shares the memory among the sorted runs of the tree to minimize the reads
  // of lookups of missing keys: a small run gets more bits per key than a large
  // one (Monkey, SIGMOD 2017). `bits_per_key`, at least 1, or those of
  // `false_positive_rate` are then the average over all keys of the tree. Has
  // no effect if neither is set: files then get bits by level anyway.
  //
  // The sizes of the runs come from a listener
  // (linebloom/level_size_listener.h). Without one every file gets the average,
  // and the first filter built writes a warning to the database's info log; so
  // do files of SstFileWriter and of remote compactions, which call no
  // listener. A file keeps its bits when RocksDB moves it to another level
  // without rewriting it.
  bool level_aware = false;

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

// Where bits_per_key=auto can choose none.
inline constexpr double kDefaultBitsPerKey = 10.0;

// The IDs in option strings, and the results of FilterPolicy::Name(): of solved
// lines, and of plain ones.
inline constexpr char kFilterPolicyName[] = "linebloom";
inline constexpr char kPlainPolicyName[] = "linebloom:plain";

// Options for plain lines: filters in RocksDB's own format, which it goes on
// reading without linebloom. Bits are found as with solved lines; missing rows
// read a third to three quarters as much as with a Bloom filter of 10 bits.
//
//   linebloom::Use(&options, linebloom::PlainLines());
inline FilterPolicyOptions PlainLines() {
  FilterPolicyOptions options;
  options.line = LineKind::kPlain;
  return options;
}

// Returns a new policy that the caller owns (hand it to a `std::shared_ptr`).
// Never null: options out of range are reported when RocksDB validates them,
// that is when a database is opened or a policy is made from a string, as
// Status::InvalidArgument that names option, value and range. Where RocksDB
// does not (SstFileWriter, SetOptions(), read-only and secondary instances,
// before 9.8 CreateColumnFamily()), such a policy builds filters of 10 bits per
// key, and says so once in the database's info log.
// In a RocksDB of another minor version than the one that linebloom was
// compiled with, or whose filter interfaces answer differently, the policy
// fails validation in the same way, and where RocksDB validates nothing it
// builds and reads no filters.
//
// BlockBasedTableOptions::optimize_filters_for_memory is honoured: filters fill
// the memory that malloc provides for their blocks, and in the long run keep
// the rate that they would have without it. The size of a filter then depends
// on the allocator and on the filters before it.
//
// The policy builds linebloom filters and reads linebloom's and RocksDB's own,
// so a database can switch to it without rewriting its files: RocksDB's Bloom
// filters are probed by the kernels of this CPU at once. It can switch back
// too, but RocksDB's policies read filters of solved lines as 'may match':
// lookups are right but unfiltered until the files are rewritten
// (linebloom/rebuild_filters.h). The policy is immutable once prepared; all of
// its functions may be called from many threads.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options = {});

// The same with all other options at their defaults, like
// `NewBloomFilterPolicy(10)`.
LINEBLOOM_EXPORT const rocksdb::FilterPolicy* NewFilterPolicy(
    double bits_per_key);

// Sets a policy with these options, by default auto, and its listener
// (linebloom/level_size_listener.h), everything that a database needs:
//
//   rocksdb::Options options;
//   linebloom::Use(&options);
//
// The family gets a new table factory with all other table options of the old
// one, its block cache included; a null factory becomes RocksDB's default. The
// listener is added unless the database has one already: call this for each
// column family, and as often as you like.
//
// Leaves cache_index_and_filter_blocks as it is, because that decides how much
// memory the process takes: false, RocksDB's default, holds filters outside the
// cache, and auto means 10 bits there. Set it to true, with a block cache that
// is to have all of the memory, and auto finds the bits.
//
// InvalidArgument, and no option changed, if `filter` is out of range, if the
// family's table isn't block-based, or in a RocksDB of another minor version
// than the one that linebloom was compiled for. Options must not be null. For
// options that no other thread uses meanwhile.
LINEBLOOM_EXPORT rocksdb::Status Use(rocksdb::Options* options,
                                     const FilterPolicyOptions& filter = {});

// The same where a database's and a family's options are apart.
LINEBLOOM_EXPORT rocksdb::Status Use(rocksdb::DBOptions* database,
                                     rocksdb::ColumnFamilyOptions* family,
                                     const FilterPolicyOptions& filter = {});

// Registers the ID `linebloom` with RocksDB's object registry, so that option
// strings find it. Loading the shared library does this, and so does starting a
// program that links the archive by its CMake target or pkg-config --static.
// One that links it otherwise calls this before parsing options. The registry
// can't forget: the shared library stays loaded, and a plug-in that contains
// the archive must not be unloaded. Calling it again has no effect. In a
// RocksDB of another minor version it registers nothing, and the ID stays
// unknown. Thread-safe.
LINEBLOOM_EXPORT void RegisterFilterPolicy();

}  // namespace linebloom
