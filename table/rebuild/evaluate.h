// Evaluates whether a file's filter is poor, and what a new one would be worth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/policy/filter_bits_builder.h"
#include "filter_policy/tree/new_file.h"
#include "filter_policy/tree/tree_state.h"
#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "table/file_facts.h"

namespace linebloom {

// The filters that a column family's policy builds today.
struct TargetFilter {
  std::string policy_name = kFilterPolicyName;
  // The rate of its filters if the policy is RocksDB's own. It can't read
  // linebloom's.
  std::optional<double> built_in_rate = std::nullopt;
  // True if its filters may have gaps too (FileFacts::has_gaps).
  bool leaves_gaps = false;

  // kRandomHashSeed: any but 0.
  FilterRequest request = {};
  // True if the policy builds no filter for the file.
  bool wants_none = false;
  // An old filter of so many bits per key stays, even if its rate is worse. 0:
  // of as many as `request`.
  uint32_t keep_from_millibits = 0;
  // True if filters share the memory of a block cache with data.
  bool may_shrink = false;
  bool whole_key_filtering = true;
  // SliceTransform::AsString(), which RocksDB compares; empty if there is none.
  std::string prefix_extractor = {};
};

struct Evaluation {
  double rate_now = 1;  // as the policy uses the filter that the file has
  // Expected of a new filter.
  double rate_after = 0;
  double bytes_after = 0;  // at most
  // Nothing if the filter is good enough.
  std::optional<RebuildReason> reason;
  // True if a new filter would let fewer missing keys pass, or give memory
  // back. A file with a reason that does not pay stays unchanged, for example
  // one with a Ribbon filter, or with more bits than the policy has now.
  bool pays = false;
};

// A filter just built as `target` never has a reason; otherwise every run would
// rewrite the file. kTooLarge only says that the filter could be smaller.
Evaluation Evaluate(const FileFacts& facts, const TargetFilter& target);

// For example "no filter".
absl::string_view ToString(RebuildReason reason);

// A column family whose filters are to be rebuilt.
struct FamilyToRebuild {
  std::string name;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::Options options;
  // True if the policy is one of RocksDB's own; `policy` is the default then.
  bool has_built_in_policy = false;
  FilterPolicyOptions policy;
  rocksdb::ColumnFamilyMetaData files;  // when the plan was made
  // As it will be when all its filters have their average of bits; null if the
  // policy needs none.
  std::shared_ptr<const TreeState> tree;
  UsersOfCache users_of;  // for bits_per_key=auto; null without a listener
};

// Fills in `policy` or `has_built_in_policy` from `options`. Returns what is
// wrong if the policy is neither linebloom's nor one of RocksDB's own, or
// builds no filters; otherwise nothing.
std::string ReadPolicy(FamilyToRebuild* family);

// The filter that the family's policy would build for a file of `rows`
// rewritten on `level`. `nothing_below` says that no file below contains any of
// its keys.
TargetFilter TargetOfFile(const FamilyToRebuild& family, int level,
                          uint64_t rows, bool nothing_below);

}  // namespace linebloom
