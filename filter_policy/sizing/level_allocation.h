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
#pragma once

#include <span>
#include <vector>

namespace linebloom {

// Limits of a run's bits per key.
inline constexpr double kMinBitsOfRun = 1;
inline constexpr double kMaxBitsOfRun = 30;

// The bits per key of a run with `keys` keys (more than 0), in a tree whose
// `runs` have these numbers of keys (more than 0) and whose keys get
// `average_bits` on average (kMinBitsOfRun to kMaxBitsOfRun). The average if
// there are no runs.
double BitsOfRun(double keys, std::span<const double> runs, double average_bits,
                 double log_rate_per_bit);

// The same for any `average_bits`. If it is below kMinBitsOfRun, the largest
// runs are left out until it no longer is, and the others share what there is.
// For a run that is left out this returns kMinBitsOfRun: filters with fewer
// bits reject less per bit, so some of its files get that many and the others
// none.
double BitsOfRunOrMin(double keys, std::span<const double> runs,
                      double average_bits, double log_rate_per_bit);

// The rate of a run with `keys` keys, if the rates of all `runs` are to add up
// to `sum_of_rates`. The sum if there are no runs.
double RateOfRun(double keys, std::span<const double> runs,
                 double sum_of_rates);

// The runs of a tree whose levels are full: the last level first, and each one
// `size_ratio` (more than 1) times as large as the next. Omits levels too small
// to matter.
std::vector<double> FullTree(double size_ratio);

}  // namespace linebloom
