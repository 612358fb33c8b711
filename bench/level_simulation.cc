// Computes what sharing filter memory among levels is worth, for trees too
// large to build here: a table of the expected reads per missing row.
//
//   level_simulation [BITS_PER_KEY]
//
// Rows take 100 bytes. Level 0 has 4 files of 64 MiB, level 1 has 256 MiB, each
// further level 10 times as much, and the last one has the rest. A missing row
// is in the range of every sorted run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/level_allocation.h"

namespace linebloom {
namespace {

constexpr double kRowBytes = 100;
constexpr double kMiB = 1 << 20;
constexpr double kSizeRatio = 10;

struct Tree {
  std::vector<double>
      runs;  // in keys; level 0's files first, the last level last
  std::vector<int> steps;  // of each run, as assumed if sizes are unknown
};

Tree TreeOf(double bytes) {
  Tree tree;
  double left = bytes;
  const auto add = [&](double run_bytes, int steps) {
    tree.runs.push_back(run_bytes / kRowBytes);
    tree.steps.push_back(steps);
    left -= run_bytes;
  };
  for (int file = 0; file < 4; ++file) add(64 * kMiB, 2);
  for (double level = 256 * kMiB; left > 0; level *= kSizeRatio) {
    add(std::min(level, left), 2);
  }
  // The same steps as RocksDB's dynamic level bytes: the last level, and the
  // one above it.
  tree.steps.back() = 0;
  if (tree.runs.size() > 5) tree.steps[tree.steps.size() - 2] = 1;
  return tree;
}

double Linebloom(double bits) {
  return ExpectedRate(Line::kSolved, static_cast<uint32_t>(bits * 1000),
                      512 / bits);
}

double RocksDbBloom(double bits) {
  constexpr uint64_t kKeys = 1000000;
  // RocksDB's choice (util/bloom_impl.h), within 1 % of the best.
  const int probes = static_cast<int>(std::lround(bits * 0.6));
  return BlockedBloomRate(kKeys, static_cast<uint64_t>(bits * kKeys / 512),
                          probes);
}

struct Outcome {
  double bits_per_key;
  double reads;  // per missing row
};

// `bits_of` returns the bits per key of the run with a given index.
Outcome Look(const Tree& tree, double (*rate)(double),
             const std::function<double(size_t)>& bits_of) {
  double bits = 0;
  double reads = 0;
  for (size_t i = 0; i < tree.runs.size(); ++i) {
    const double run_bits = bits_of(i);
    bits += run_bits * tree.runs[i];
    reads += rate(run_bits);
  }
  return {bits / std::accumulate(tree.runs.begin(), tree.runs.end(), 0.0),
          reads};
}

// The bits per key at which another bit is worth `price` of the rate.
double BitsAtPrice(double price) {
  double best = kMinBitsOfRun;
  for (double bits = best; bits <= kMaxBitsOfRun; bits += 0.05) {
    if (Linebloom(bits) + price * bits < Linebloom(best) + price * best) {
      best = bits;
    }
  }
  return best;
}

// The best allocation for the measured rates of lines, instead of those of the
// formula.
Outcome BestAllocation(const Tree& tree, double average_bits) {
  double low = -60;  // of the logarithm of the price of one bit for one key
  double high = 0;
  Outcome outcome{};
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    outcome = Look(tree, Linebloom, [&](size_t run) {
      return BitsAtPrice(std::exp(middle) * tree.runs[run]);
    });
    (outcome.bits_per_key > average_bits ? low : high) = middle;
  }
  return outcome;
}

void PrintRow(const char* name, const Outcome& outcome, double keys,
              double of_rocksdb) {
  std::printf("| | %s | %.2f | %.4g | %.5f | %.3f |\n", name,
              outcome.bits_per_key, outcome.bits_per_key * keys / 8e9,
              outcome.reads, outcome.reads / of_rocksdb);
}

void PrintTree(const char* name, double bytes, double bits) {
  const Tree tree = TreeOf(bytes);
  const double keys = std::accumulate(tree.runs.begin(), tree.runs.end(), 0.0);
  std::printf("| **%s**, %zu sorted runs, %.3g rows | | | | | |\n", name,
              tree.runs.size(), keys);
  const auto same = [&](size_t) { return bits; };
  const Outcome rocksdb = Look(tree, RocksDbBloom, same);
  const std::vector<double> full = FullTree(kSizeRatio);
  PrintRow("RocksDB's Bloom", rocksdb, keys, rocksdb.reads);
  PrintRow("linebloom", Look(tree, Linebloom, same), keys, rocksdb.reads);
  const double slope = LogRatePerBit(Line::kSolved);
  const BitsAllocation by_sizes(WholeRuns(tree.runs), bits, slope);
  PrintRow("linebloom, level_aware by sizes",
           Look(tree, Linebloom,
                [&](size_t run) { return by_sizes.BitsOf(tree.runs[run]); }),
           keys, rocksdb.reads);
  const BitsAllocation by_ratio(WholeRuns(full), bits, slope);
  PrintRow(
      "linebloom, level_aware by size_ratio",
      Look(tree, Linebloom,
           [&](size_t run) { return by_ratio.BitsOf(full[tree.steps[run]]); }),
      keys, rocksdb.reads);
  PrintRow("the best possible with these lines", BestAllocation(tree, bits),
           keys, rocksdb.reads);
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const double bits = argc > 1 ? std::atof(argv[1]) : 10;
  if (argc > 2 ||
      !(bits >= linebloom::kMinBitsOfRun && bits <= linebloom::kMaxBitsOfRun)) {
    std::fprintf(stderr,
                 "usage: level_simulation [BITS_PER_KEY], from 1 to 30\n");
    return 2;
  }
  std::printf(
      "| tree | filters | bits per key | GB of filters | reads per missing row "
      "| of RocksDB's |\n| --- | --- | ---: | ---: | ---: | ---: |\n");
  linebloom::PrintTree("10 GB", 1e10, bits);
  linebloom::PrintTree("1 TB", 1e12, bits);
  linebloom::PrintTree("1 PB", 1e15, bits);
  return 0;
}
