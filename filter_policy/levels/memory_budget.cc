#include "filter_policy/levels/memory_budget.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/levels/run_bits.h"
#include "filter_policy/levels/sorted_run.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/level_allocation.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {

using rocksdb::FilterBuildingContext;

namespace {

// In a load in key order RocksDB never rewrites a file, and nobody knows how
// many more will come. A file then gets a third of an equal share, and at most
// 12 bits per key. Data blocks read per missing row, averaged over loads that
// end with 1/8 to 4 times the keys for which the budget has 10 bits each
// (docs/benchmarks.md): 0.128. Rejected: equal shares, 0.257; a half or a
// quarter of them, 0.195 and 0.148; the rest of the budget divided by the
// present keys, 0.198; a limit of 16 bits, 0.162.
constexpr double kPartOfShareInOrder = 1.0 / 3;
constexpr double kMaxBitsInOrder = 12;

// For files written while their database is being opened.
constexpr double kMaxBitsUnknown = kDefaultBitsPerKey;

double BudgetInBits(const FilterPolicyOptions& options) {
  return 8 * static_cast<double>(*options.memory_budget);
}

struct BudgetedRun {
  double bits_per_key = 0;  // on average over the keys of the file's job
  bool is_largest = false;
  double for_flushes = 0;                         // in bits
  std::optional<RunBits> by_heat = std::nullopt;  // if heat is known
};

// The number of level 0 files to keep room for, always at least one more than
// there are: RocksDB's default for level0_file_num_compaction_trigger. Without
// that room, a tree that grew to 4 million rows on a budget of 2.5 MB flushed
// files without filters, and a missing row read 3.5 data blocks instead of 0.3
// (docs/benchmarks.md has a larger one).
constexpr double kMaxFlushes = 4;

// At most this share of the budget is kept free for them.
constexpr double kMaxForFlushes = 0.25;

// The thousandths of a bit per key of a block that takes at most `bytes`, or of
// one line. A whole line more and the metadata would add a tenth to partitions
// of 1 KB.
uint32_t MillibitsWithin(double bytes, size_t keys) {
  const double lines =
      std::clamp(std::floor((bytes - kMaxFilterBlockOverhead) / kLineBytes),
                 1.0, static_cast<double>(kMaxLines));
  return std::max(MillibitsFor(static_cast<uint32_t>(lines), keys),
                  uint32_t{1});
}

// `share` is the bits per key if all keys had the same.
BudgetedRun BudgetOfRun(const FilterPolicyOptions& options,
                        const FilterBuildingContext& context,
                        const FileInTree& file, double share) {
  const double average = std::min(share, kMaxAverageOfBudget);
  // Below 1 bit per key a filter rejects less per bit: 37 % of missing keys at
  // 1 bit, 14 % at half a bit. So the largest runs ask for 1 bit and go without
  // if there is no room (FilterAccount).
  const double least = std::max(average, kMinBitsOfRun);
  if (file.tree == nullptr) return {std::min(least, kMaxBitsUnknown), false};
  if (file.tree->may_be_in_order && IsFlush(context)) {
    return {
        std::clamp(share * kPartOfShareInOrder, kMinBitsOfRun, kMaxBitsInOrder),
        true};
  }
  const std::optional<Run> run = RunOf(options, context, file);
  if (!run) return {least, false};
  const double slope = LogRatePerBit(options.line);
  const RunBits bits(*run, file.heat, average, slope);
  BudgetedRun budget;
  budget.bits_per_key = bits.MeanOf(file.range);
  budget.is_largest =
      run->keys >= *std::max_element(run->tree.begin(), run->tree.end());
  if (!file.tree->may_be_in_order) {
    const double flush = std::max(file.tree->last_flush, 1.0);
    const double to_come = std::max(
        1.0, kMaxFlushes - static_cast<double>(file.tree->level0_files.size()));
    const double of_flush = RunBits({flush, run->tree}, nullptr, average, slope)
                                .MeanOf(std::nullopt);
    budget.for_flushes = std::min(to_come * flush * of_flush,
                                  kMaxForFlushes * BudgetInBits(options));
  }
  if (file.heat != nullptr) budget.by_heat = bits;
  return budget;
}

// The part of a compaction's range that is yet to be written, this filter's
// keys included.
std::optional<KeyRange> Rest(const std::optional<KeyRange>& range,
                             const AddedKeys& keys) {
  if (!range) return std::nullopt;
  const std::string first = keys.first.ToString();
  return KeyRange{first, std::max({first, keys.last.ToString(), range->last})};
}

}  // namespace

BudgetState StateOfBudget(const FilterPolicyOptions& options,
                          const FilterBuildingContext& context,
                          const FileInTree& file) {
  BudgetState state;
  state.filters = file.account->Live();
  double keys = state.filters.all_keys();
  if (file.tree != nullptr) {
    if (IsFlush(context)) keys += file.KeysOfFlush();
    // The listener may expect more keys than there are yet.
    keys = std::max(keys, file.tree->Total());
  }
  state.average_bits = BudgetInBits(options) / std::max(keys, 1.0);
  return state;
}

std::optional<FilterPlan> BudgetOfFile(const FilterPolicyOptions& options,
                                       const FilterBuildingContext& context,
                                       const FileInTree& file,
                                       const BudgetState& state) {
  const BudgetedRun run =
      BudgetOfRun(options, context, file, state.average_bits);
  BudgetRequest request;
  request.budget = BudgetInBits(options);
  request.bits_per_key = run.bits_per_key;
  request.is_flush = IsFlush(context);
  request.is_recovery =
      context.reason == rocksdb::TableFileCreationReason::kRecovery;
  request.of_largest_run = run.is_largest;
  request.for_flushes = run.for_flushes;
  if (request.is_flush) request.expected_keys = file.KeysOfFlush();
  request.keys = 1;
  const double offered = file.account->Offer(file.place, request);
  if (offered < kMinBitsOfRun) return std::nullopt;
  // A full filter has all keys of the file.
  if (!context.table_options.partition_filters) request.expected_keys = 0;
  FilterPlan plan;
  plan.request = RequestOf(options);
  plan.request.millibits_per_key = MillibitsOf(offered);
  plan.keeps_range = run.by_heat.has_value();
  if (run.by_heat) plan.request.heat = 1;
  plan.fit = [request, by_heat = run.by_heat, range = file.range,
              account = file.account, place = file.place](
                 const AddedKeys& keys, FilterRequest* fitted) {
    BudgetRequest of_filter = request;
    of_filter.keys = static_cast<double>(keys.entries);
    if (by_heat) {
      const double heat = by_heat->HeatOf(keys.first, keys.last);
      fitted->heat = static_cast<float>(heat);
      of_filter.bits_per_key = by_heat->BitsOf(heat);
      of_filter.mean_bits = by_heat->MeanOf(Rest(range, keys));
    }
    const double bits = account->Take(place, of_filter);
    // Other files may have taken the room since: build a single line.
    fitted->millibits_per_key =
        bits < kMinBitsOfRun
            ? 1
            : MillibitsWithin(bits / 8 * of_filter.keys, keys.entries);
  };
  return plan;
}

}  // namespace linebloom
