// How large a filter a file gets of a memory budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/levels/file_in_tree.h"
#include "filter_policy/levels/filter_account.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// No tree gets more bits per key of a budget on average. A lookup of a missing
// row then reads 1 data block in 50,000 for each run.
inline constexpr double kMaxAverageOfBudget = 16;

// What the filters that share a budget take, and an equal share of it for each
// key of all trees, in bits.
struct BudgetState {
  FilterTotals filters;
  double average_bits = 0;
};

BudgetState StateOfBudget(const FilterPolicyOptions& options,
                          const rocksdb::FilterBuildingContext& context,
                          const FileInTree& file);

// How a filter of a budget is built.
struct BudgetedFilter {
  FilterSettings settings;
  // Books a filter, or partition, of so many keys, and says how many
  // thousandths of a bit each of them gets.
  std::function<uint32_t(size_t keys)> take;
};

// Nothing where the file gets no filter. `options` are valid and have a
// memory_budget; `file` is what a level size listener left of this file.
std::optional<BudgetedFilter> BudgetOfFile(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context, const FileInTree& file);

}  // namespace linebloom
