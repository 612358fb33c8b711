// How many bits per key the filter of a file gets, so that lookups of missing
// keys read the fewest data blocks: one number for each file.
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
// log_rate_per_bit is the line's (LogRatePerBit in sizing.h): the steeper the
// rate falls, the fewer additional bits a small run needs. The rates of real
// filters are close to this, and the sum of rates is flat around its minimum.
//
// Rejected: optimizing with the measured rates, which saves less than 1 % of
// the reads. Counting a run's probes by the ranges of its files: files keep
// their filters when they are moved, and runs that are nearly full overlap
// everything (docs/design.md).
//
// No locks, no state.
#pragma once

#include <vector>

#include "filter_policy/line/line.h"
#include "filter_policy/tree/new_file.h"

namespace linebloom {

// The bits per key of sorted runs with so many `keys`, each more than 0, that
// have `average_bits` (at least kMinBitsOfRun) over all of them.
std::vector<double> BitsOfRuns(const std::vector<double>& keys,
                               double average_bits, LineKind line);

// The bits per key of the file's filters, for a tree that is to have
// `average_bits` (at least kMinBitsOfRun) over all its keys:
//   sizes known   by the sorted run: it has as many keys as its level will
//                 have, as a compaction into level 0 reads, or as the flush
//                 will write. Files of large runs make up for what others have.
//   otherwise     the average; a little more for a file recovered from the
//                 log, which is small in all but a new database.
// A job leaves the tree with at most 0.035 times `average_bits` more than this
// or than it had, whichever is more; a leveled tree that grows stays within a
// tenth of it, once its last level is rewritten (tests/filter_policy/bits/).
double BitsForFile(const NewFile& file, double average_bits);

}  // namespace linebloom
