#include "filter_policy/sizing/expected_rate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "filter_policy/line/builder/probe_count.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

#include "filter_policy/line/builder/searched_rate_table.inc"

double PlainLineRate(int probes, int keys) {
  const double fill = 1 - std::pow(1 - probes / (8.0 * kLineBytes), keys);
  return std::pow(fill, probes);
}

double SearchedLineRate(BuildEffort effort, int keys) {
  if (keys == 0) return 0;
  const int column =
      static_cast<int>(effort) - static_cast<int>(BuildEffort::kFast);
  const auto* const above = std::lower_bound(
      std::begin(kSearchedRates), std::end(kSearchedRates), keys,
      [](const SearchedRateRow& row, int n) { return row.keys < n; });
  if (above == std::end(kSearchedRates)) {
    // Beyond the table a line has one probe, and each further key leaves the
    // same share of the unset bits unset.
    const SearchedRateRow& last = *std::prev(above);
    const double unset = 1 - std::exp(last.log_rate[column]);
    return 1 - std::pow(unset, static_cast<double>(keys) / last.keys);
  }
  if (above->keys == keys) return std::exp(above->log_rate[column]);
  const SearchedRateRow& below = *std::prev(above);
  const double part =
      static_cast<double>(keys - below.keys) / (above->keys - below.keys);
  return std::exp(below.log_rate[column] +
                  part * (above->log_rate[column] - below.log_rate[column]));
}

double RateOfMillibits(BuildEffort effort, uint32_t millibits) {
  return ExpectedRate(effort, millibits,
                      8.0 * kLineBytes * kMillibitsPerBit / millibits);
}

}  // namespace

double ExpectedRate(BuildEffort effort, uint32_t millibits,
                    double keys_per_line) {
  const int plain_probes = PlainProbes(millibits);
  const double spread = 10 * std::sqrt(keys_per_line) + 10;
  const int least = static_cast<int>(std::max(0.0, keys_per_line - spread));
  const int most = static_cast<int>(keys_per_line + spread);
  double rate = 0;
  for (int keys = least; keys <= most; ++keys) {
    const double share = std::exp(keys * std::log(keys_per_line) -
                                  keys_per_line - std::lgamma(keys + 1.0));
    rate += share * (effort == BuildEffort::kNone
                         ? PlainLineRate(plain_probes, keys)
                         : SearchedLineRate(effort, keys));
  }
  return rate;
}

double LowestRate(BuildEffort effort) {
  return RateOfMillibits(effort, kMostMillibits);
}

std::optional<uint32_t> BitsForRate(BuildEffort effort, double rate) {
  const auto reaches = [effort, rate](uint32_t millibits) {
    // NaN is a rate that nothing reaches.
    return RateOfMillibits(effort, millibits) <= rate;
  };
  if (!reaches(kMostMillibits)) return std::nullopt;
  if (reaches(kLeastMillibits)) return kLeastMillibits;
  uint32_t too_few = kLeastMillibits;
  uint32_t enough = kMostMillibits;
  while (enough - too_few > 1) {
    const uint32_t middle = std::midpoint(too_few, enough);
    (reaches(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace linebloom
