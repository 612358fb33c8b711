#include "filter_policy/bits/allocation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "filter_policy/filter/sizing.h"

namespace linebloom {
namespace {

// The most that a tree's filters may take, relative to the average. Files
// written at the same time are planned alone, and filters consist of whole
// lines; the total still stays below 1.1. Small runs cost as many probes as
// large ones, so they may exceed the average a little more, even after a burst
// of writes.
constexpr double kMaxOverAverage = 1.05;
constexpr double kMaxOfSmallRuns = 1.07;
constexpr double kSmallRun = 0.5;  // of the largest

// The largest correction of a file's bits per key for those of other files.
constexpr double kMaxCorrection = 3;

// The same for files of a large run whose average is found anew for each file.
// Small runs then make up for nothing: lookups meet them as often, and theirs
// is a tenth of the memory. Rejected: for all files, up to kMaxCorrection. In a
// tree whose average fell from 8 bits to 2, its small runs paid for the old
// files of the last one, and lookups (90 % hit) read 1.38 times as much.
constexpr double kMaxCorrectionOfChoice = 1;

// The extra bits of a file recovered from the log, whose tree is unknown when
// it is written. One of 5,000 rows among 2 million made a third of the reads
// with the average, and with this a thirtieth.
constexpr double kExtraBitsInRecovery = 3;

// The keys to expect of a flush: as many as the last one had, or as wait to be
// flushed if they are fewer or if it is the first; 0 if unknown. Rejected: the
// last flush alone, which may have been very large.
double KeysOfFlush(const NewFile& file) {
  const double last = file.tree == nullptr ? 0 : file.tree->last_flush;
  if (last <= 0) return file.input_keys;
  return file.input_keys > 0 ? std::min(last, file.input_keys) : last;
}

// The runs of the file's tree, as they will be at rest if RocksDB merges level
// by level. Without filters the sizes are expected ones.
std::vector<double> RunsOf(const NewFile& file) {
  if (file.tree == nullptr) return {};
  const FileTotals& filters = file.tree->filters;
  return file.style == rocksdb::kCompactionStyleLevel &&
                 filters.keys + filters.unknown > 0
             ? file.tree->AtRest().Runs()
             : file.tree->Runs();
}

// The keys of the file's run; 0 if the sizes don't tell.
double KeysOfRun(const NewFile& file, const std::vector<double>& runs) {
  if (runs.empty()) return 0;
  const double largest = std::ranges::max(runs);
  const TreeState& tree = *file.tree;
  if (file.is_flushed()) return tree.in_order ? largest : KeysOfFlush(file);
  double keys = 0;
  if (file.level > 0) {
    const auto level = static_cast<size_t>(file.level);
    keys = level <= tree.levels.size() ? tree.levels[level - 1] : 0;
  } else if (file.input_keys > 0) {
    keys = file.input_keys;
  } else if (!tree.level0_files.empty()) {
    keys = SumOf(tree.level0_files) /
           static_cast<double>(tree.level0_files.size());
  }
  // The level was empty and its final size is unknown: use the fewest bits.
  return keys > 0 ? keys : largest;
}

// The filters of the tree's other files, and the keys that the job adds.
struct Others {
  double keys = 0;
  double bits = 0;
  double job = 0;  // keys; 0 if unknown
};

// More or fewer than one with prefixes.
double KeysPerRow(const FileTotals& filters) {
  return filters.rows > 0 ? filters.keys / filters.rows : 1;
}

// Unknown filters are assumed to have `average_bits`.
Others OthersOf(const NewFile& file, double average_bits) {
  const FileTotals& filters = file.tree->filters;
  const double keys_per_row = KeysPerRow(filters);
  const double unknown = filters.unknown * keys_per_row;
  return {.keys = filters.keys + unknown,
          .bits = filters.bits + unknown * average_bits,
          .job = keys_per_row *
                 (file.is_flushed() ? KeysOfFlush(file) : file.input_keys)};
}

// Returns b such that runs with clamp(b - log_keys) bits have the average.
// `keys`, of each run, are not empty; `log_keys` are their ln(keys) / s.
double BitsOfOneKey(const std::vector<double>& keys,
                    const std::vector<double>& log_keys, double average_bits) {
  const auto [smallest, largest] = std::ranges::minmax(log_keys);
  // At `low` every run is at its lower limit, at `high` every run at its upper
  // one. The average increases in between; because of the limits there is no
  // closed form.
  double low = kMinBitsOfRun + smallest;
  double high = kMaxBitsOfRun + largest;
  const double memory = average_bits * SumOf(keys);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double bits = 0;
    for (size_t run = 0; run < keys.size(); ++run) {
      bits += keys[run] *
              std::clamp(middle - log_keys[run], kMinBitsOfRun, kMaxBitsOfRun);
    }
    (bits < memory ? low : high) = middle;
  }
  return high;
}

std::vector<double> LogKeys(std::vector<double> keys, LineKind line) {
  for (double& of_run : keys) of_run = std::log(of_run) / LogRatePerBit(line);
  return keys;
}

// The bits of a run with `run` keys, as the shape of the tree alone has it.
double PlannedBits(const std::vector<double>& runs, double run,
                   double average_bits, LineKind line) {
  const double of_one_key = BitsOfOneKey(runs, LogKeys(runs, line),
                                         std::min(average_bits, kMaxBitsOfRun));
  return std::clamp(of_one_key - std::log(run) / LogRatePerBit(line),
                    kMinBitsOfRun, kMaxBitsOfRun);
}

// What other filters leave to make up for: they were planned for the tree as it
// was then, or for files that are gone.
double Correction(const Others& others, double planned, double average_bits) {
  if (others.keys <= 0) return 0;
  return std::clamp(average_bits - (others.bits + planned * others.job) /
                                       (others.keys + others.job),
                    -kMaxCorrection, kMaxCorrection);
}

// The most bits per key that the job may write, so that the tree's filters
// together take at most kMaxOverAverage times the average. Never below the
// average: other jobs' excess isn't charged to this one.
double MaxBits(const NewFile& file, const Others& others, double run,
               double largest, double average_bits) {
  const double most =
      average_bits *
      (run < kSmallRun * largest ? kMaxOfSmallRuns : kMaxOverAverage);
  // A flush may be larger than the one before it.
  double job = file.is_flushed() ? 2 * others.job : others.job;
  if (job <= 0) job = run;
  const double spare = most * others.keys - others.bits;
  return std::max(average_bits, most + spare / job);
}

double BitsWithoutSizes(const NewFile& file, double average_bits) {
  return std::min(
      average_bits + (file.is_recovered() ? kExtraBitsInRecovery : 0),
      kMaxBitsOfRun);
}

}  // namespace

std::vector<double> BitsOfRuns(const std::vector<double>& keys,
                               double average_bits, LineKind line) {
  std::vector<double> bits = LogKeys(keys, line);
  const double of_one_key =
      BitsOfOneKey(keys, bits, std::min(average_bits, kMaxBitsOfRun));
  for (double& of_run : bits) {
    of_run = std::clamp(of_one_key - of_run, kMinBitsOfRun, kMaxBitsOfRun);
  }
  return bits;
}

double BitsForFile(const NewFile& file, double average_bits) {
  const std::vector<double> runs = RunsOf(file);
  const double run = KeysOfRun(file, runs);
  if (run <= 0) return BitsWithoutSizes(file, average_bits);
  Others others = OthersOf(file, average_bits);
  // With files of 64 KiB that is a tenth. A level that is to make up for it
  // would get only the average, and most reads.
  others.bits -= file.tree->filters.overhead;
  const double planned = PlannedBits(runs, run, average_bits, file.line);
  double bits = planned + Correction(others, planned, average_bits);
  if (others.keys > 0) {
    bits = std::min(
        bits, MaxBits(file, others, run, std::ranges::max(runs), average_bits));
  }
  return std::clamp(bits, kMinBitsOfRun, kMaxBitsOfRun);
}

double BitsOfChoice(const NewFile& file, double average_bits) {
  const std::vector<double> runs = RunsOf(file);
  const double run = KeysOfRun(file, runs);
  if (run <= 0) return BitsWithoutSizes(file, average_bits);
  const double planned = PlannedBits(runs, run, average_bits, file.line);
  if (run < kSmallRun * std::ranges::max(runs)) return planned;
  Others others = OthersOf(file, average_bits);
  others.bits -= file.tree->filters.overhead;
  const double correction =
      std::clamp(Correction(others, planned, average_bits),
                 -kMaxCorrectionOfChoice, kMaxCorrectionOfChoice);
  return std::clamp(planned + correction, kMinBitsOfRun, kMaxBitsOfRun);
}

}  // namespace linebloom
