#include "filter_policy/sizing/level_allocation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linebloom {
namespace {

double Total(std::span<const double> runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0);
}

// The bits per key of a run, if a run of a single key would have
// `bits_of_one_key`.
double BitsFrom(double bits_of_one_key, double keys, double log_rate_per_bit) {
  return std::clamp(bits_of_one_key - std::log(keys) / log_rate_per_bit,
                    kMinBitsOfRun, kMaxBitsOfRun);
}

double AverageFrom(double bits_of_one_key, std::span<const double> runs,
                   double log_rate_per_bit) {
  double bits = 0;
  for (const double keys : runs) {
    bits += keys * BitsFrom(bits_of_one_key, keys, log_rate_per_bit);
  }
  return bits / Total(runs);
}

}  // namespace

double BitsOfRun(double keys, std::span<const double> runs, double average_bits,
                 double log_rate_per_bit) {
  if (runs.empty()) return average_bits;
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
  // At `low` every run is at its lower limit, at `high` every run at its upper
  // one. The average increases in between; because of the limits there is no
  // closed form.
  double low = kMinBitsOfRun + std::log(*least) / log_rate_per_bit;
  double high = kMaxBitsOfRun + std::log(*most) / log_rate_per_bit;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double average = AverageFrom(middle, runs, log_rate_per_bit);
    (average < average_bits ? low : high) = middle;
  }
  return BitsFrom(high, keys, log_rate_per_bit);
}

double BitsOfRunOrMin(double keys, std::span<const double> runs,
                      double average_bits, double log_rate_per_bit) {
  const double bits = average_bits * Total(runs);
  std::vector<double> served(runs.begin(), runs.end());
  std::sort(served.begin(), served.end());
  while (!served.empty() && bits < kMinBitsOfRun * Total(served)) {
    served.pop_back();
  }
  if (served.empty() || (served.size() < runs.size() && keys > served.back())) {
    return kMinBitsOfRun;
  }
  return BitsOfRun(keys, served, std::min(bits / Total(served), kMaxBitsOfRun),
                   log_rate_per_bit);
}

double RateOfRun(double keys, std::span<const double> runs,
                 double sum_of_rates) {
  if (runs.empty()) return sum_of_rates;
  return sum_of_rates * std::min(1.0, keys / Total(runs));
}

std::vector<double> FullTree(double size_ratio) {
  std::vector<double> runs;
  double keys = 1e12;
  while (keys >= 1e3) {
    runs.push_back(keys);
    keys /= size_ratio;
  }
  return runs;
}

}  // namespace linebloom
