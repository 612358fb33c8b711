// Decides how large a file's filter is under a memory budget.
#pragma once

#include <cstdint>
#include <optional>

#include "filter_policy/levels/file_in_tree.h"
#include "filter_policy/levels/filter_account.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// A budget never gives a tree more bits per key than this on average. Then one
// lookup of a missing row in 50,000 reads a data block of each run.
inline constexpr double kMaxAverageOfBudget = 16;

// The filters that share a budget, and the bits per key if all keys of all
// trees shared it equally.
struct BudgetState {
  FilterTotals filters;
  double average_bits = 0;
};

BudgetState StateOfBudget(const FilterPolicyOptions& options,
                          const rocksdb::FilterBuildingContext& context,
                          const FileInTree& file);

// Returns how to build the filters of the file, each of which books its bits.
// Nothing if the file gets no filter. `options` must be valid and have a
// memory_budget; `file` comes from the level size listener, `state` from
// StateOfBudget().
std::optional<FilterPlan> BudgetOfFile(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context, const FileInTree& file,
    const BudgetState& state);

}  // namespace linebloom
