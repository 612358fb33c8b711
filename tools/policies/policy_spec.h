// Filter policies by name, as --policies lists them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/filter_policy.h"

namespace linebloom::tools {

// A filter policy and what to call it.
struct NamedPolicy {
  // As the user wrote it.
  std::string name;
  // What it stands for: an option string that RocksDB takes; "" for `none`.
  std::string options;
  // Null for `none`.
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
};

// Names with a meaning of their own; all others are option strings.
inline constexpr char kNoPolicy[] = "none";
inline constexpr char kRocksDbBloom[] = "rocksdb-bloom";
inline constexpr char kRocksDbRibbon[] = "rocksdb-ribbon";
inline constexpr char kLinebloom[] = "linebloom";
inline constexpr char kLinebloomPlain[] = "linebloom-plain";
inline constexpr char kLinebloomLevelAware[] = "linebloom-levels";

// Splits a list at its semicolons, except those in braces:
// "none;{id=linebloom;bits_per_key=8}" has two entries. Blanks around an entry
// go. InvalidArgument where an entry is empty or braces do not match.
absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list);

// The policy that `name` stands for:
//   none            no filter
//   rocksdb-bloom   RocksDB's Bloom filter of `bits_per_key`
//   rocksdb-ribbon  RocksDB's Ribbon filter that is as good as a Bloom filter
//                   of `ribbon_bloom_bits` per key (it takes about 0.7 times
//                   that), in every file
//   linebloom       linebloom of `bits_per_key`
//   linebloom-plain the same with plain lines
//   linebloom-levels
//                   linebloom of as many on average, more on small levels
//   anything else   RocksDB's option string
// InvalidArgument, with what RocksDB said, where there is no such policy or its
// options are out of range.
absl::StatusOr<NamedPolicy> MakePolicy(const std::string& name,
                                       double bits_per_key,
                                       double ribbon_bloom_bits);

}  // namespace linebloom::tools
