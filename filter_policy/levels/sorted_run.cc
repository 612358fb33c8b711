#include "filter_policy/levels/sorted_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "filter_policy/sizing/level_allocation.h"

namespace linebloom {

using rocksdb::FilterBuildingContext;
using rocksdb::TableFileCreationReason;

bool IsFlush(const FilterBuildingContext& context) {
  return context.reason == TableFileCreationReason::kFlush ||
         context.reason == TableFileCreationReason::kRecovery;
}

namespace {

// More steps would cost more when the guess is wrong than they save when it is
// right: a run three steps above the last has a thousandth of its reads.
constexpr int kMaxSteps = 2;

// How many full levels above the last one the file is, if sizes are unknown.
int StepsAboveLast(const FilterBuildingContext& context) {
  // FIFO never merges, so all files are alike.
  if (context.compaction_style == rocksdb::kCompactionStyleFIFO) return 0;
  if (context.is_bottommost || context.level_at_creation < 0) return 0;
  if (IsFlush(context)) return kMaxSteps;
  if (context.compaction_style == rocksdb::kCompactionStyleUniversal) return 1;
  if (context.level_at_creation == 0) return kMaxSteps;
  return std::clamp(context.num_levels - 1 - context.level_at_creation, 1,
                    kMaxSteps);
}

double Mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return 0;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

// 0 if the sizes don't tell.
double KeysOfRun(const FilterBuildingContext& context, const FileInTree& file) {
  if (IsFlush(context)) {
    const bool in_order = file.tree->flush > file.tree->last_flush;
    return in_order ? file.tree->flush : file.KeysOfFlush();
  }
  const auto level = static_cast<size_t>(context.level_at_creation);
  if (level == 0) {
    return file.level0_run > 0 ? file.level0_run
                               : Mean(file.tree->level0_files);
  }
  const std::vector<double>& levels = file.tree->levels;
  return level <= levels.size() ? levels[level - 1] : 0;
}

}  // namespace

std::optional<Run> RunOf(const FilterPolicyOptions& options,
                         const FilterBuildingContext& context,
                         const std::optional<FileInTree>& file) {
  if (file.has_value()) {
    if (file->tree == nullptr) return std::nullopt;
    const double keys = KeysOfRun(context, *file);
    std::vector<double> tree = file->tree->Runs();
    if (tree.empty()) return std::nullopt;
    if (keys > 0) return Run{keys, std::move(tree)};
    if (IsFlush(context)) return std::nullopt;
    // The level was empty and its final size is unknown: use the fewest bits.
    return Run{*std::max_element(tree.begin(), tree.end()), std::move(tree)};
  }
  std::vector<double> tree = FullTree(options.size_ratio);
  return Run{tree[StepsAboveLast(context)], std::move(tree)};
}

}  // namespace linebloom
