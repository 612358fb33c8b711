#include "filter_policy/tree/probed_trees.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/filter/sizing.h"

namespace linebloom {
namespace {

// Hits in files without a filter go unseen.
constexpr double kMostUnfiltered = 0.1;

}  // namespace

void ProbedTrees::Add(const TreeState& tree) {
  double runs = 0;
  double rates = 0;
  double rows = 0;
  const auto add = [&](const FileTotals& run) {
    if (run.keys <= 0) {
      unfiltered_ += run.all_rows();
      return;
    }
    ++runs;
    rates += run.passed / run.all_rows();
    rows += run.all_rows();
    ambiguous_ += run.ambiguous;
    probes_of_rows_ += runs * run.all_rows();
  };
  for (const FileTotals& file : tree.level0) add(file);
  for (const auto& [level, run] : tree.levels) add(run);
  rows_ += rows;
  runs_ += rows * runs;
  rates_ += rows * rates;
}

Lookups ProbedTrees::Behind(double probes, double positives) const {
  if (runs_ <= 0) return {};
  const double rate = rates_ / runs_;
  const double hits = (positives - rate * probes) / (1 - rate);
  const double misses =
      (probes - hits * probes_of_rows_ / rows_) * rows_ / runs_;
  return {.all = hits + misses, .hits = hits, .fewest_hits = hits};
}

HitRange ProbedTrees::Hits(double sampled, const HitRange& seen) const {
  if (runs_ <= 0 || unfiltered_ > kMostUnfiltered * rows_) return {};
  // Two standard deviations of a number of independent events: false positives
  // are some, too.
  const double false_positives = rates_ / rows_ * sampled;
  const auto noise = [&](double share) {
    return 2 * std::sqrt(share * sampled + false_positives + 1) /
           std::max(1.0, sampled);
  };
  const double least =
      std::clamp(seen.least - noise(std::max(0.0, seen.least)), 0.0, 1.0);
  const double most =
      std::clamp(seen.most + noise(std::max(0.0, seen.most)), 0.0, 1.0);
  const double all = kProbesPerSample * sampled;
  HitRange range = HitRange::Of(least * all, most * all, all);
  if (ambiguous_ > 0) range.least = 0;
  return range;
}

}  // namespace linebloom
