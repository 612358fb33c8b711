// Generates the two tables beside this file, from simulated lines and their
// exact rates:
//
//   cd filter_policy/line/builder
//   line_tables probes > probe_count_table.inc
//   line_tables rates > solved_rate_table.inc
//
// Neighbouring probe counts are compared on the same random keys, so that the
// noise of the keys cancels out.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

std::vector<uint64_t> RandomHashes(int count, std::mt19937_64* random) {
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = (*random)();
  return hashes;
}

// The rate of plain filters at `bits_per_key`, with Poisson-distributed line
// loads.
double PlainRate(double bits_per_key, int probes) {
  constexpr int kLines = 20000;
  std::mt19937_64 random(1);
  std::poisson_distribution<int> load(8 * kLineBytes / bits_per_key);
  LineBuilder builder({Line::kPlain, static_cast<uint8_t>(probes), 0});
  double sum = 0;
  for (int i = 0; i < kLines; ++i) {
    uint8_t line[kLineBytes];
    sum += builder.Build(RandomHashes(load(random), &random), line);
  }
  return sum / kLines;
}

// The bits per key above which `probes` probes beat `probes - 1`.
double PlainCrossing(int probes) {
  double low = 0.5;
  double high = 64;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    const bool better =
        PlainRate(middle, probes) < PlainRate(middle, probes - 1);
    (better ? high : low) = middle;
  }
  return high;
}

// The rate of solved filters with a mean of `keys` keys per line: groups whose
// numbers of keys are Poisson distributed.
double SolvedRate(int keys) {
  const int groups =
      keys < 64 ? 40000 : 4000;  // with few keys, some lines are far worse
  std::mt19937_64 random(keys);
  std::poisson_distribution<int> load(kLinesPerGroup * std::max(keys, 1));
  LineBuilder builder(SolvedShape(uint64_t{1000} * keys, 1000));
  double sum = 0;
  for (int i = 0; i < groups; ++i) {
    uint8_t lines[kLinesPerGroup * kLineBytes];
    uint8_t code;
    sum += builder.BuildGroup(RandomHashes(load(random), &random),
                              kLinesPerGroup, 0, lines, &code);
  }
  return sum / groups / kLinesPerGroup;
}

void PrintProbes() {
  printf(
      "// Plain lines: from this many thousandths of a bit per key on, k "
      "probes beat\n// k - 1; k = 2, 3, ...\n"
      "inline constexpr uint32_t kPlainMillibitsForProbes[] = {\n");
  for (int probes = 2; probes <= kMaxPlainProbes; ++probes) {
    printf("    %.0f,  // k = %d\n", 1000 * PlainCrossing(probes), probes);
    fprintf(stderr, "plain: k = %d of %d\n", probes, kMaxPlainProbes);
  }
  printf("};\n");
}

// Filters with more keys per line than that match nearly everything.
void PrintRates() {
  constexpr int kPerRow = 5;
  printf(
      "// The natural logarithm of the rate of solved filters with a mean of "
      "0, 1, 2, ...\n// keys per line; after each row, the mean of its first "
      "number.\ninline constexpr double kSolvedLogRates[] = {\n");
  for (int keys = 0; keys <= kMaxSolvedKeys; ++keys) {
    const bool ends_row =
        keys % kPerRow == kPerRow - 1 || keys == kMaxSolvedKeys;
    printf("%s%.4f,", keys % kPerRow == 0 ? "    " : " ",
           std::log(SolvedRate(keys)));
    if (ends_row) printf("  // %d\n", keys - keys % kPerRow);
    if (keys % 50 == 0) fprintf(stderr, "rates: %d keys\n", keys);
  }
  printf("};\n");
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const std::string_view table = argc == 2 ? argv[1] : "";
  if (table != "probes" && table != "rates") {
    fprintf(stderr, "usage: line_tables probes|rates\n");
    return 2;
  }
  printf(
      "// Made by filter_policy/line/builder/line_tables.cc; do not edit.\n\n");
  if (table == "rates") {
    linebloom::PrintRates();
  } else {
    linebloom::PrintProbes();
  }
}
