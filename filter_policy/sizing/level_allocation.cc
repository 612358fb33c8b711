#include "filter_policy/sizing/level_allocation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linebloom {
namespace {

double Total(std::span<const double> runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0);
}

double KeysOf(std::span<const RunPart> parts) {
  return std::accumulate(
      parts.begin(), parts.end(), 0.0,
      [](double keys, const RunPart& part) { return keys + part.keys; });
}

// Returns the bits for one key per probe with which `parts` have
// `average_bits`.
double BitsOfOne(std::span<const RunPart> parts, double average_bits,
                 double log_rate_per_bit) {
  struct Term {
    double keys;
    double fewer_bits;
  };
  std::vector<Term> terms;
  for (const RunPart& part : parts) {
    terms.push_back(
        {part.keys, std::log(part.keys_per_probe()) / log_rate_per_bit});
  }
  const auto [least, most] = std::minmax_element(
      terms.begin(), terms.end(),
      [](const Term& a, const Term& b) { return a.fewer_bits < b.fewer_bits; });
  // At `low` every part is at its lower limit, at `high` every part at its
  // upper one. The average increases in between; because of the limits there is
  // no closed form.
  double low = kMinBitsOfRun + least->fewer_bits;
  double high = kMaxBitsOfRun + most->fewer_bits;
  const double memory = average_bits * KeysOf(parts);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double bits = 0;
    for (const Term& term : terms) {
      bits += term.keys * std::clamp(middle - term.fewer_bits, kMinBitsOfRun,
                                     kMaxBitsOfRun);
    }
    (bits < memory ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<RunPart> WholeRuns(std::span<const double> runs) {
  std::vector<RunPart> parts;
  for (const double keys : runs) parts.push_back({keys});
  return parts;
}

BitsAllocation::BitsAllocation(std::vector<RunPart> parts, double average_bits,
                               double log_rate_per_bit)
    : log_rate_per_bit_(log_rate_per_bit), average_bits_(average_bits) {
  if (parts.empty()) return;
  std::sort(parts.begin(), parts.end(), [](const RunPart& a, const RunPart& b) {
    return a.keys_per_probe() < b.keys_per_probe();
  });
  double served = KeysOf(parts);
  const double memory = average_bits * served;
  while (!parts.empty() && memory < kMinBitsOfRun * served) {
    left_out_ = true;
    served -= parts.back().keys;
    parts.pop_back();
  }
  average_bits_ = kMinBitsOfRun;  // if there is too little for any part
  if (parts.empty()) return;
  most_served_ = parts.back().keys_per_probe();
  bits_of_one_ = BitsOfOne(parts, std::min(memory / served, kMaxBitsOfRun),
                           log_rate_per_bit);
}

double BitsAllocation::BitsOf(double keys_per_probe) const {
  if (most_served_ == 0) return average_bits_;
  // Parts like the last one that is served may differ from it by rounding.
  if (left_out_ && keys_per_probe > most_served_ * (1 + 1e-9)) {
    return kMinBitsOfRun;
  }
  return std::clamp(bits_of_one_ - std::log(keys_per_probe) / log_rate_per_bit_,
                    kMinBitsOfRun, kMaxBitsOfRun);
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
