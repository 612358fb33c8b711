#include "filter_policy/levels/allocation.h"

#include <algorithm>
#include <cmath>

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

// The most bits per key that the job may write, so that the tree's filters
// together take at most kMaxOverAverage times the average. Never below the
// average: this job is not to blame for the others.
double MaxBits(const NewFile& file) {
  const double most =
      file.average_bits *
      (file.run < kSmallRun * file.largest ? kMaxOfSmallRuns : kMaxOverAverage);
  // A flush may be larger than the one before it.
  double job = file.is_flush ? 2 * file.job : file.job;
  if (job <= 0) job = file.run;
  const double spare = most * file.other_keys - file.other_bits;
  return std::max(file.average_bits, most + spare / job);
}

// The mean over the keys that the job writes, of which the shape of the tree
// alone gives `planned`.
double MeanOf(const NewFile& file, double planned) {
  const double average = file.average_bits;
  double more = 0;
  if (file.other_keys > 0) {
    // Other filters were planned for the tree as it was then, or for files that
    // are gone.
    more = std::clamp(average - (file.other_bits + planned * file.job) /
                                    (file.other_keys + file.job),
                      -kMaxCorrection, kMaxCorrection);
  }
  if (file.has_budget) {
    // Never less because other files have too much: that is so in a burst of
    // writes, and what is written then stays.
    return std::clamp(planned + std::max(0.0, more),
                      file.is_flush ? average : average - kMaxStepOfBudget,
                      average + kMaxStepOfBudget);
  }
  return file.other_keys > 0 ? std::min(planned + more, MaxBits(file))
                             : planned;
}

// Returns the bits of a run of one key with which `runs`, from the smallest to
// the largest, have `average_bits`.
double BitsOfOne(const std::vector<double>& runs, double average_bits,
                 double log_rate_per_bit) {
  std::vector<double> fewer_bits;
  for (const double keys : runs) {
    fewer_bits.push_back(std::log(keys) / log_rate_per_bit);
  }
  // At `low` every run is at its lower limit, at `high` every run at its upper
  // one. The average increases in between; because of the limits there is no
  // closed form.
  double low = kMinBitsOfRun + fewer_bits.front();
  double high = kMaxBitsOfRun + fewer_bits.back();
  const double memory = average_bits * SumOf(runs);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double bits = 0;
    for (size_t run = 0; run < runs.size(); ++run) {
      bits += runs[run] * std::clamp(middle - fewer_bits[run], kMinBitsOfRun,
                                     kMaxBitsOfRun);
    }
    (bits < memory ? low : high) = middle;
  }
  return high;
}

}  // namespace

BitsAllocation::BitsAllocation(std::vector<double> runs, double average_bits,
                               double log_rate_per_bit)
    : log_rate_per_bit_(log_rate_per_bit) {
  std::ranges::sort(runs);
  double served = SumOf(runs);
  const double memory = average_bits * served;
  while (!runs.empty() && memory < kMinBitsOfRun * served) {
    served -= runs.back();
    runs.pop_back();
    largest_served_ = runs.empty() ? 0 : runs.back();
  }
  if (runs.empty()) return;
  bits_of_one_ = BitsOfOne(runs, std::min(memory / served, kMaxBitsOfRun),
                           log_rate_per_bit);
}

double BitsAllocation::BitsOf(double keys) const {
  if (keys > largest_served_) return kMinBitsOfRun;
  return std::clamp(bits_of_one_ - std::log(keys) / log_rate_per_bit_,
                    kMinBitsOfRun, kMaxBitsOfRun);
}

double BitsOfFile(const NewFile& file) {
  const BitsAllocation allocation(file.runs, file.average_bits,
                                  file.log_rate_per_bit);
  return std::clamp(MeanOf(file, allocation.BitsOf(file.run)), kMinBitsOfRun,
                    kMaxBitsOfRun);
}

double RateOfRun(double keys, const std::vector<double>& runs,
                 double sum_of_rates) {
  return sum_of_rates * std::min(1.0, keys / SumOf(runs));
}

}  // namespace linebloom
