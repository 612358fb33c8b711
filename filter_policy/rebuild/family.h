// A column family whose filters are to be rebuilt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/rebuild/judgement.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

struct Family {
  std::string name;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::Options options;
  // The policy, if it is one of RocksDB's own; `policy` is the default then.
  std::shared_ptr<const rocksdb::FilterPolicy> built_in;
  FilterPolicyOptions policy;
  // The budget of a policy that has one; `policy` then has its share per key.
  std::optional<uint64_t> memory_budget;
  double worst_rate = 0;  // see RebuildFiltersOptions
  // Where lookups fall in this process; null if unknown.
  std::shared_ptr<const HeatProfile> heat;
};

// Fills in `policy` or `built_in` from `options`. Returns InvalidArgument, with
// the name of the column family, if the policy is neither linebloom's nor one
// of RocksDB's own, or builds no filters.
rocksdb::Status ReadPolicy(Family* family);

// The filter that the family's policy would build for a file of `keys`, in a
// family with this `tree`, rewritten on `level`. `nothing_below` says that no
// file below contains any of its keys.
WantedFilter WantedOfFile(const Family& family,
                          const std::shared_ptr<const TreeState>& tree,
                          const AddedKeys& keys, int level, bool nothing_below);

}  // namespace linebloom
