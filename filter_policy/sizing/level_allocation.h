// Shares filter memory among the sorted runs of an LSM tree.
//
// A lookup of a missing key probes one filter in every sorted run (a file of
// level 0, or a level below it), so its cost is the sum of the runs' rates.
// Another bit for each key of a small run takes little memory and lowers that
// sum as much as it would in a large run. So small runs get more bits (Dayan,
// Athanassoulis, Idreos: Monkey, SIGMOD 2017):
//
//   rate of a run with b bits per key, up to a factor that all runs share:
//       exp(-b * log_rate_per_bit)
//
//   lowest sum of rates for given memory:
//       b_i = b_last + ln(n_last / n_i) / log_rate_per_bit
//
//   least memory for a given sum of rates:
//       rate_i = sum * n_i / (n_1 + n_2 + ...)
//
// log_rate_per_bit depends on the kind of line (LogRatePerBit in
// expected_rate.h): the steeper the rate falls, the fewer additional bits a
// small run needs. The rates of real filters are close to this, and the sum of
// rates is flat around its minimum.
//
// Rejected: optimizing with the measured rates. In bench/level_simulation that
// saves less than 1 % of the reads.
//
// If lookups favor some keys, the cost is the sum of probes * rate over the
// parts of all runs, and the same derivation gives rate_i = c * n_i / p_i for a
// part with n_i keys that a share p_i of the lookups probes. A whole run has
// p_i = 1.
#pragma once

#include <span>
#include <vector>

namespace linebloom {

// Limits of a run's bits per key.
inline constexpr double kMinBitsOfRun = 1;
inline constexpr double kMaxBitsOfRun = 30;

// A run, or a part of it.
struct RunPart {
  double keys;
  double probes = 1;  // the share of lookups that probe it

  double keys_per_probe() const { return keys / probes; }
};

// The parts of runs, without a distinction between their keys.
std::vector<RunPart> WholeRuns(std::span<const double> runs);

// The lowest sum of rates for given memory.
class BitsAllocation {
 public:
  // `parts` are those of all runs of a tree, with more than 0 keys and probes
  // each, and their keys get `average_bits` on average. If that is below
  // kMinBitsOfRun, the parts with the most keys per probe are left out until it
  // no longer is, and the others share what there is.
  BitsAllocation(std::vector<RunPart> parts, double average_bits,
                 double log_rate_per_bit);

  // The bits per key of a part with this many keys per probe: the average if
  // there are no parts, and kMinBitsOfRun for a part that is left out. Filters
  // with fewer bits reject less per bit, so some of its files get that many and
  // the others none.
  double BitsOf(double keys_per_probe) const;

 private:
  double log_rate_per_bit_;
  double average_bits_;
  double bits_of_one_ = 0;  // for one key per probe, without limits
  bool left_out_ = false;   // true if some parts are
  double most_served_ = 0;  // keys per probe; 0 if there are no parts
};

// The rate of a run with `keys` keys, if the rates of all `runs` are to add up
// to `sum_of_rates`. The sum if there are no runs.
double RateOfRun(double keys, std::span<const double> runs,
                 double sum_of_rates);

// The runs of a tree whose levels are full: the last level first, and each one
// `size_ratio` (more than 1) times as large as the next. Omits levels too small
// to matter.
std::vector<double> FullTree(double size_ratio);

}  // namespace linebloom
