#include "filter_policy/levels/allocation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linebloom {
namespace {

// How much a tree's filters may take, relative to the average. Files written at
// the same time don't know of each other, and filters consist of whole lines;
// the total still stays below 1.1. Small runs, which lookups meet as often as
// the large ones, get a little more, so that what a burst of writes takes
// doesn't leave them the average alone.
constexpr double kMaxOverAverage = 1.05;
constexpr double kMaxOfSmallRuns = 1.07;
constexpr double kSmallRun = 0.5;  // of the largest

// How many bits per key a file gets more or fewer at most to make up for those
// of other files.
constexpr double kMaxCorrection = 3;

// How far the files of a tree with a memory budget may be from equal shares.
// The budget is spent on keys that come and go, and a file that was cut short
// for them costs more reads than the steps between levels save.
constexpr double kMaxStepOfBudget = 2;

// By how many bits per key the tree's filters would miss the average if the
// job's had `planned`. Earlier ones were planned for the tree as it was then,
// or for files that are gone.
double Correction(const NewFile& file, double average, double planned) {
  const double keys = file.other_keys + file.job;
  return std::clamp(average - (file.other_bits + planned * file.job) / keys,
                    -kMaxCorrection, kMaxCorrection);
}

// The most bits per key that the job may write, so that the tree's filters
// together take at most kMaxOverAverage times the average. Never below the
// average: this job is not to blame for the others.
double MaxBits(const NewFile& file, double average) {
  const double most =
      average *
      (file.run < kSmallRun * file.largest ? kMaxOfSmallRuns : kMaxOverAverage);
  // A flush may be larger than the one before it.
  double job = file.is_flush ? 2 * file.job : file.job;
  if (job <= 0) job = file.run;
  const double spare = most * file.other_keys - file.other_bits;
  return std::max(average, most + spare / job);
}

// The mean over the keys that the job writes, of which the shape of the tree
// alone gives `planned`.
double MeanOf(const NewFile& file, const Target& target, double planned) {
  const double average = target.bits_per_key;
  const double more =
      file.other_keys > 0 ? Correction(file, average, planned) : 0;
  if (target.of_budget) {
    // Never less because other files have too much: that is so in a burst of
    // writes, and what is written then stays.
    return std::clamp(planned + std::max(0.0, more),
                      file.is_flush ? average : average - kMaxStepOfBudget,
                      average + kMaxStepOfBudget);
  }
  if (file.other_keys <= 0) return planned;
  return std::min(planned + more, MaxBits(file, average));
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

std::vector<RunPart> PartsOf(std::span<const double> runs,
                             const HeatProfile* heat) {
  std::vector<RunPart> parts;
  for (const double keys : runs) {
    if (heat == nullptr) {
      parts.push_back({keys});
      continue;
    }
    for (const HeatProfile::Part& part : heat->classes()) {
      parts.push_back({keys * part.key_share, part.key_share * part.heat});
    }
  }
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

FileBits::FileBits(const NewFile& file, const Target& target,
                   const HeatProfile* heat,
                   const std::optional<KeyRange>& range)
    : run_(file.run),
      allocation_(PartsOf(file.runs, heat), target.bits_per_key,
                  target.log_rate_per_bit) {
  const double planned = PlannedMean(heat, range);
  mean_ =
      std::clamp(MeanOf(file, target, planned), kMinBitsOfRun, kMaxBitsOfRun);
  more_ = mean_ - planned;
}

double FileBits::PlannedFor(double heat) const {
  return allocation_.BitsOf(run_ / heat);
}

double FileBits::PlannedMean(const HeatProfile* heat,
                             const std::optional<KeyRange>& range) const {
  if (heat == nullptr) return PlannedFor(1);
  const std::vector<HeatProfile::Part> parts =
      range ? heat->PartsOf(range->first, range->last) : heat->classes();
  double keys = 0;
  double bits = 0;
  for (const HeatProfile::Part& part : parts) {
    keys += part.key_share;
    bits += part.key_share * PlannedFor(part.heat);
  }
  return bits / keys;
}

double FileBits::BitsOf(double heat) const {
  return std::clamp(PlannedFor(heat) + more_, kMinBitsOfRun, kMaxBitsOfRun);
}

double RateOfRun(double keys, const std::vector<double>& runs,
                 double sum_of_rates) {
  if (runs.empty()) return sum_of_rates;
  return sum_of_rates * std::min(1.0, keys / SumOf(runs));
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
