#include "filter_policy/levels/file_budget.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/level_allocation.h"
#include "filter_policy/sizing/line_count_search.h"

namespace linebloom {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::TableFileCreationReason;

// A sorted run and the tree it belongs to; sizes in keys.
struct Run {
  double keys;
  std::vector<double> tree;
};

bool IsFlush(const FilterBuildingContext& context) {
  return context.reason == TableFileCreationReason::kFlush ||
         context.reason == TableFileCreationReason::kRecovery;
}

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

// How much a tree's filters may take, relative to the requested memory. Files
// written at the same time don't know of each other, and filters consist of
// whole lines; the total still stays below 1.1.
constexpr double kMaxOverAverage = 1.05;

double Mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return 0;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

// 0 if the sizes don't tell.
double KeysOfRun(const FilterBuildingContext& context, const FileInTree& file) {
  if (IsFlush(context)) return file.tree->flush;
  const auto level = static_cast<size_t>(context.level_at_creation);
  if (level == 0) {
    return file.level0_run > 0 ? file.level0_run
                               : Mean(file.tree->level0_files);
  }
  const std::vector<double>& levels = file.tree->levels;
  return level <= levels.size() ? levels[level - 1] : 0;
}

// Nothing if there is a listener that doesn't know any sizes yet.
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

// The most bits per key that this file may have, so that the tree's filters
// together take at most kMaxOverAverage times the requested memory. The tree's
// present shape determines each file's bits, but in a growing tree many files
// were written when it was smaller, or have only been moved down by RocksDB.
// Never below the average: this file is not to blame for the others.
double MaxBits(const FilterBuildingContext& context, const FileInTree& file,
               double keys_of_run, double average_bits) {
  const FilterSums& filters = *file.tree->filters;
  const double keys_of_row = filters.rows > 0 ? filters.keys / filters.rows : 1;
  const double spare =
      kMaxOverAverage * average_bits * filters.keys - filters.bits +
      (kMaxOverAverage - 1) * average_bits * filters.other_rows * keys_of_row;
  // A flush may be larger than the one before it.
  double rows = 2 * file.tree->last_flush;
  if (!IsFlush(context)) {
    rows = file.input_keys > 0 ? file.input_keys : keys_of_run;
  }
  if (rows <= 0) return average_bits;
  return std::max(average_bits, kMaxOverAverage * average_bits +
                                    spare / (rows * keys_of_row));
}

double BitsOf(const FilterBuildingContext& context,
              const std::optional<FileInTree>& file, const Run& run,
              double average_bits, LineKind line) {
  const double bits =
      BitsOfRun(run.keys, run.tree, average_bits, LogRatePerBit(line));
  if (!file.has_value() || !file->tree->filters.has_value()) return bits;
  return std::min(bits, MaxBits(context, *file, run.keys, average_bits));
}

}  // namespace

std::optional<FilterSettings> SettingsOfFile(
    const FilterPolicyOptions& options, const FilterBuildingContext& context,
    const std::optional<FileInTree>& file_of_thread) {
  std::optional<FileInTree> file;
  if (file_of_thread.has_value() && file_of_thread->Is(context)) {
    file = file_of_thread;
  }
  FilterSettings settings;
  settings.line = LineKindOf(options);
  settings.hash_seed = options.hash_seed;
  settings.level_aware = options.level_aware;
  std::optional<Run> run;
  if (options.level_aware) run = RunOf(options, context, file);
  if (options.false_positive_rate.has_value()) {
    const double asked = *options.false_positive_rate;
    settings.asked_rate =
        std::max(run ? RateOfRun(run->keys, run->tree, asked) : asked,
                 LowestRate(settings.line));
    settings.millibits_per_key =
        BitsForRate(settings.line, settings.asked_rate * LineCountSearch::kAim)
            .value_or(kMaxMillibits);
    return settings;
  }
  const double asked = BitsPerKeyOf(options);
  settings.millibits_per_key = MillibitsOf(
      run ? BitsOf(context, file, *run, asked, settings.line) : asked);
  if (settings.millibits_per_key == 0) return std::nullopt;
  return settings;
}

}  // namespace linebloom
