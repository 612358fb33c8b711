// How filter memory is shared among the sorted runs of an LSM tree.
//
// A lookup of a missing key asks one filter of every sorted run (a file of
// level 0, or a level below it), so what counts is the sum of the runs' rates.
// A bit more for each key of a small run costs little and lowers that sum as
// much as it does in a large run. So small runs get more bits (Dayan,
// Athanassoulis, Idreos: Monkey, SIGMOD 2017):
//
//   rate of a run with b bits per key, up to a factor that all runs share:
//       exp(-b * log_rate_per_bit)
//
//   the least sum of rates for given memory:
//       b_i = b_last + ln(n_last / n_i) / log_rate_per_bit
//
//   the least memory for a given sum of rates:
//       rate_i = sum * n_i / (n_1 + n_2 + ...)
//
// How steeply rates fall is the line's (LogRatePerBit of expected_rate.h): the
// steeper, the less a small run needs above a large one. Real filters' rates
// fall nearly so, and the sum of rates is flat around its least value.
// Rejected: to share by the measured rates; in bench/level_simulation that
// saves less than 1 % of the reads.
#pragma once

#include <span>
#include <vector>

namespace linebloom {

// No run gets fewer or more bits per key.
inline constexpr double kLeastBitsOfRun = 1;
inline constexpr double kMostBitsOfRun = 30;

// The bits per key of a run with `keys` keys (more than 0) in a tree whose
// `runs` have so many keys each (more than 0) and `average_bits` for each key
// of the tree (kLeastBitsOfRun to kMostBitsOfRun). Without runs: the average.
double BitsOfRun(double keys, std::span<const double> runs, double average_bits,
                 double log_rate_per_bit);

// The rate of a run with `keys` keys where the rates of all `runs` are to sum
// up to `sum_of_rates`. Without runs: the sum.
double RateOfRun(double keys, std::span<const double> runs,
                 double sum_of_rates);

// The runs of a tree whose levels are full: the last level first, each one
// `size_ratio` (more than 1) times as large as the next. Levels that don't
// matter any more are left out.
std::vector<double> FullTree(double size_ratio);

}  // namespace linebloom
