#include "filter_policy/bits/allocation.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"

namespace linebloom {
namespace {

// Only files of runs that have so much of the largest make up for what others
// have, and by so many bits per key. Lookups meet small runs as often, and
// theirs is a tenth of the memory. Rejected: for all files, up to 3 bits. In a
// tree whose average fell from 8 bits to 2, its small runs paid for the old
// files of the last one, and lookups (90 % hit) read 1.38 times as much. None:
// a tree that doubled at the cliff read 70 blocks per 1,000 lookups, with one
// bit 39, with two 36.
constexpr double kLargeRun = 0.5;
constexpr double kMaxCorrection = 2;

// What a filter has beyond the bits of its keys, on average. With files of 64
// KiB that is a tenth.
constexpr double kBitsBeyondKeys =
    8 * (kFilterBlockOverhead + kLineBytes / 2.0);

// The extra bits of a file recovered from the log, whose tree is unknown when
// it is written. One of 5,000 rows among 2 million made a third of the reads
// with the average, and with this a thirtieth.
constexpr double kExtraBitsInRecovery = 3;

// The file's tree once the job that writes it is done and has dropped nothing.
TreeState TreeAfter(const NewFile& file) {
  TreeState tree = *file.tree;
  if (!file.is_flushed() && file.input_keys > 0) {
    tree.Add({.rows = file.input_keys}, file.level);
  }
  return tree;
}

// The keys of the file's run.
double KeysOfRun(const NewFile& file, const TreeState& tree, double largest) {
  if (file.is_flushed() && tree.in_order) return largest;
  double keys = file.input_keys;
  if (file.level > 0) {
    keys = tree.RowsOf(file.level);
  } else if (!tree.level0.empty() && (keys <= 0 || file.is_flushed())) {
    double mean = 0;
    for (const FileTotals& other : tree.level0) mean += other.all_rows();
    mean /= static_cast<double>(tree.level0.size());
    // What waits to be flushed may be of other column families.
    keys = keys > 0 ? std::min(keys, mean) : mean;
  }
  if (file.is_flushed()) return keys;
  // The level was empty and its final size is unknown: use the fewest bits.
  return keys > 0 ? keys : largest;
}

double WithinLimits(double bits) {
  return std::clamp(bits, kMinBitsOfRun, kMaxBitsOfRun);
}

// Returns b such that runs with b - ln(keys) / slope bits, within the limits,
// have the average. `keys`, of each run, are not empty.
double BitsOfOneKey(const std::vector<double>& keys, double average_bits,
                    double slope) {
  // At `low` every run is at its lower limit, at `high` every run at its upper
  // one. The average increases in between; because of the limits there is no
  // closed form.
  const auto [smallest, largest] = std::ranges::minmax(keys);
  double low = kMinBitsOfRun + std::log(smallest) / slope;
  double high = kMaxBitsOfRun + std::log(largest) / slope;
  std::vector<double> logs;
  for (const double of_run : keys) logs.push_back(std::log(of_run) / slope);
  const double memory = std::min(average_bits, kMaxBitsOfRun) * SumOf(keys);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double bits = 0;
    for (size_t run = 0; run < keys.size(); ++run) {
      bits += keys[run] * WithinLimits(middle - logs[run]);
    }
    (bits < memory ? low : high) = middle;
  }
  return high;
}

// What the filters of other files leave to make up for: they were planned for
// the tree as it was then, or for files that are gone. Those that aren't known
// are assumed to have the average.
double Correction(const NewFile& file, double planned, double average_bits) {
  const FileTotals& filters = file.tree->filters;
  // More or fewer than one with prefixes.
  const double keys_per_row =
      filters.rows > 0 ? filters.keys / filters.rows : 1;
  const double unknown = keys_per_row * filters.unknown;
  const double others = filters.keys + unknown;
  if (others <= 0) return 0;
  const double job = keys_per_row * file.input_keys;
  const double bits =
      std::max(0.0, filters.bits - filters.files * kBitsBeyondKeys) +
      unknown * average_bits + job * planned;
  return std::clamp(average_bits - bits / (others + job), -kMaxCorrection,
                    kMaxCorrection);
}

double BitsWithoutSizes(const NewFile& file, double average_bits) {
  return WithinLimits(average_bits +
                      (file.is_recovered() ? kExtraBitsInRecovery : 0));
}

}  // namespace

std::vector<double> BitsOfRuns(const std::vector<double>& keys,
                               double average_bits, LineKind line) {
  const double slope = LogRatePerBit(line);
  const double of_one_key = BitsOfOneKey(keys, average_bits, slope);
  std::vector<double> bits;
  for (const double of_run : keys) {
    bits.push_back(WithinLimits(of_one_key - std::log(of_run) / slope));
  }
  return bits;
}

double BitsForFile(const NewFile& file, double average_bits) {
  if (file.tree == nullptr) return BitsWithoutSizes(file, average_bits);
  const TreeState tree = TreeAfter(file);
  // At rest if RocksDB merges level by level. Without filters the sizes are
  // expected ones.
  const bool moves = file.style == rocksdb::kCompactionStyleLevel &&
                     file.tree->filters.keys + file.tree->filters.unknown > 0;
  const std::vector<double> runs = (moves ? tree.AtRest() : tree).Runs();
  if (runs.empty()) return BitsWithoutSizes(file, average_bits);
  const double largest = std::ranges::max(runs);
  const double run = KeysOfRun(file, tree, largest);
  if (run <= 0) return BitsWithoutSizes(file, average_bits);
  const double slope = LogRatePerBit(file.line);
  const double planned = WithinLimits(BitsOfOneKey(runs, average_bits, slope) -
                                      std::log(run) / slope);
  if (run < kLargeRun * largest) return planned;
  return WithinLimits(planned + Correction(file, planned, average_bits));
}

}  // namespace linebloom
