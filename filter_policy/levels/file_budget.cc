#include "filter_policy/levels/file_budget.h"

#include <algorithm>
#include <memory>

#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/levels/run_bits.h"
#include "filter_policy/levels/sorted_run.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/level_allocation.h"
#include "filter_policy/sizing/line_count_search.h"

namespace linebloom {

using rocksdb::FilterBuildingContext;

namespace {

// How much a tree's filters may take, relative to the requested memory. Files
// written at the same time don't know of each other, and filters consist of
// whole lines; the total still stays below 1.1.
constexpr double kMaxOverAverage = 1.05;

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

// How many bits per key too many the run's parts want on average over the keys
// that the file's job writes.
double BitsTooMany(const FilterBuildingContext& context, const FileInTree& file,
                   const Run& run, double mean, double average_bits) {
  if (!file.tree->filters.has_value()) return 0;
  return std::max(0.0, mean - MaxBits(context, file, run.keys, average_bits));
}

FilterPlan PlanOfRun(FilterRequest request,
                     const FilterBuildingContext& context,
                     const std::optional<FileInTree>& file, const Run& run,
                     double average_bits) {
  const std::shared_ptr<const HeatProfile> heat =
      file.has_value() ? file->heat : nullptr;
  const RunBits bits(run, heat, average_bits, LogRatePerBit(request.line));
  double mean = bits.MeanOf(std::nullopt);
  double too_many = 0;
  if (file.has_value()) {
    mean = bits.MeanOf(file->range);
    too_many = BitsTooMany(context, *file, run, mean, average_bits);
  }
  request.millibits_per_key = MillibitsOf(mean - too_many);
  FilterPlan plan{request, nullptr, heat != nullptr};
  if (heat != nullptr) {
    plan.request.heat = 1;
    plan.fit = [bits, too_many](const AddedKeys& keys, FilterRequest* fitted) {
      const double of_keys = bits.HeatOf(keys.first, keys.last);
      fitted->millibits_per_key =
          MillibitsOf(std::max(bits.BitsOf(of_keys) - too_many, kMinBitsOfRun));
      fitted->heat = static_cast<float>(of_keys);
    };
  }
  return plan;
}

}  // namespace

std::optional<FilterPlan> PlanOfFile(
    const FilterPolicyOptions& options, const FilterBuildingContext& context,
    const std::optional<FileInTree>& file_of_thread) {
  std::optional<FileInTree> file;
  if (file_of_thread.has_value() && file_of_thread->Is(context)) {
    file = file_of_thread;
  }
  FilterRequest request = RequestOf(options);
  std::optional<Run> run;
  if (IsLevelAware(options)) run = RunOf(options, context, file);
  if (options.false_positive_rate.has_value()) {
    const double asked = *options.false_positive_rate;
    request.false_positive_rate =
        std::max(run ? RateOfRun(run->keys, run->tree, asked) : asked,
                 LowestRate(request.line));
    request.millibits_per_key =
        BitsForRate(request.line,
                    request.false_positive_rate * LineCountSearch::kAim)
            .value_or(kMaxMillibits);
    return FilterPlan{request};
  }
  const double asked = BitsPerKeyOf(options);
  if (run) return PlanOfRun(request, context, file, *run, asked);
  request.millibits_per_key = MillibitsOf(asked);
  if (request.millibits_per_key == 0) return std::nullopt;
  return FilterPlan{request};
}

}  // namespace linebloom
