// Decides how many bits per key a new file's filters get: for an average over
// the tree or a share of a memory budget. No locks, and nothing of RocksDB.
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
// sizing.h): the steeper the rate falls, the fewer additional bits a
// small run needs. The rates of real filters are close to this, and the sum of
// rates is flat around its minimum.
//
// Rejected: optimizing with the measured rates, which saves less than 1 % of
// the reads.
#pragma once

#include <limits>
#include <vector>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/tree_state.h"

namespace linebloom {

// The lowest sum of rates for given memory.
class BitsAllocation {
 public:
  // `runs` are the keys of all runs of a tree, more than 0 each, and get
  // `average_bits` on average. If that is below kMinBitsOfRun, the largest runs
  // are left out until it no longer is, and the others share what there is.
  BitsAllocation(std::vector<double> runs, double average_bits,
                 double log_rate_per_bit);

  // The bits per key of a run with this many keys: kMinBitsOfRun for one that
  // is left out. Filters with fewer bits reject less per bit, so some of its
  // files get that many and the others none.
  double BitsOf(double keys) const;

 private:
  double log_rate_per_bit_;
  double bits_of_one_ = 0;  // of a run of one key, without limits
  double largest_served_ = std::numeric_limits<double>::infinity();
};

// A file that is about to be written, and the tree it will be in. Sizes in
// keys.
struct NewFile {
  std::vector<double> runs;  // of the tree at rest (TreeState::RunsAtRest)
  double largest = 0;        // run of the tree as it is
  double run = 0;            // the file's own, as it is
  double job = 0;            // written by the flush or compaction; 0 if unknown
  // The filters of the tree's other files; 0 if nothing is known of them.
  double other_keys = 0;
  double other_bits = 0;
  bool is_flush = false;
  double average_bits = 0;  // per key of the tree, to aim at
  bool has_budget = false;  // `average_bits` are an equal share of a budget
  double log_rate_per_bit = 0;
};

// The bits per key of a file's filters.
double BitsOfFile(const NewFile& file);

// The rate of a run with `keys` keys, if the rates of all `runs` are to add up
// to `sum_of_rates`.
double RateOfRun(double keys, const std::vector<double>& runs,
                 double sum_of_rates);

}  // namespace linebloom
