// Filter policies by name, as in --policies, and the filters that they build.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace linebloom::tools {

// Null for no filter.
using FilterPolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

struct PolicyString {
  FilterPolicyPtr policy;  // that RocksDB creates from the string
  // One sentence that begins with the string; empty if it yields what it says.
  std::string problem;
};

// Reads `text`, such as bloomfilter:10, as RocksDB does in an options file.
// RocksDB takes a name that it doesn't know for no filter, ignores unknown
// options and moves bits per key into its range (7.8.3); each is a problem
// here, as is a `db` without the listener that the policy needs. An empty
// `text` and `nullptr` yield no policy.
PolicyString ReadPolicyString(
    const std::string& text,
    const rocksdb::DBOptions& db = rocksdb::DBOptions());

// The 10 in the ID bloomfilter:10:false, also with braces. Nothing if the ID
// has no bits.
std::optional<double> BitsInId(absl::string_view id);

// A filter policy and its name.
struct NamedPolicy {
  // As the user wrote it.
  std::string name;
  // RocksDB's option string for it; "" for `none`.
  std::string options;
  FilterPolicyPtr policy;
};

// Special names; all others are option strings.
inline constexpr char kNoPolicy[] = "none";
inline constexpr char kRocksDbBloom[] = "rocksdb-bloom";
inline constexpr char kRocksDbRibbon[] = "rocksdb-ribbon";
inline constexpr char kLinebloom[] = "linebloom";
inline constexpr char kLinebloomPlain[] = "linebloom-plain";
inline constexpr char kLinebloomLevelAware[] = "linebloom-levels";

// Splits a list at semicolons, except those in braces, and trims blanks.
// InvalidArgument if an entry is empty or braces don't match.
absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list);

// The policy called `name`:
//   none              no filter
//   rocksdb-bloom     RocksDB's Bloom filter with `bits_per_key`
//   rocksdb-ribbon    RocksDB's Ribbon filter, in every file, with the rate of
//                     a Bloom filter of `ribbon_bloom_bits` per key (and about
//                     0.7 times its memory)
//   linebloom         linebloom with `bits_per_key`
//   linebloom-plain   the same with plain lines
//   linebloom-levels  the same on average, with more bits for small levels
//   anything else     RocksDB's option string
// It may need linebloom's listener in its database. InvalidArgument, with
// RocksDB's message, if there is no such policy or its options are out of
// range.
absl::StatusOr<NamedPolicy> MakePolicy(const std::string& name,
                                       double bits_per_key,
                                       double ribbon_bloom_bits);

// The filter block that `policy` gives an SSTable of `keys` generated keys by
// these options, with optimize_filters_for_memory off. "" if it builds none.
std::string BuildFilterBlock(const rocksdb::FilterPolicy& policy, uint64_t keys,
                             rocksdb::BlockBasedTableOptions table = {});

// The largest number in [low, high] that `fits`; nothing if `low` doesn't. If a
// number fits, so do all smaller ones.
std::optional<uint64_t> LargestThat(uint64_t low, uint64_t high,
                                    absl::FunctionRef<bool(uint64_t)> fits);

// RocksDB's Ribbon filters of a given size or rate. A Ribbon filter is
// requested by the bits per key of a Bloom filter of the same rate and takes
// about 0.7 times as much; what to request is found by building filters.

// Filters of this many keys are enough to find out: one of a million keys takes
// about 1 % more bits per key, one of five million 2 %.
inline constexpr uint64_t kMaxRibbonKeys = 50'000;

// The block of a Ribbon filter requested with `bloom_bits` per key. For few
// keys RocksDB builds a Bloom filter instead.
std::string BuildRibbonBlock(double bloom_bits, uint64_t keys);

// The most to request for a filter of at most `bytes`, which are about
// `bits_per_key`.
double RibbonBitsWithin(double bytes, double bits_per_key, uint64_t keys);

// The least to request so that the filter's false-positive rate is at most
// `rate`. Nothing if no Ribbon filter reaches it.
std::optional<double> RibbonBitsForRate(double rate, uint64_t keys);

}  // namespace linebloom::tools
