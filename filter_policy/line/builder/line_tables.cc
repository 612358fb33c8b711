// Measures the two generated tables beside this file on simulated lines and
// their exact rates:
//
//   cd filter_policy/line/builder
//   line_tables probes > probe_count_table.inc
//   line_tables rates > solved_rate_table.inc
//
// The second depends on the first. Neighbouring numbers of probes are compared
// on the same random keys, so that the noise of the keys falls out of the
// comparison.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/builder/line_search.h"
#include "filter_policy/line/builder/probe_count.h"
#include "filter_policy/line/line_probes.h"
#include "filter_policy/line/line_rate.h"

namespace linebloom {
namespace {

constexpr SearchPlan kPlan{.rotation_bits = 2, .beam = 1, .rounds = 2};

std::vector<uint64_t> RandomHashes(int count, std::mt19937_64* random) {
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = (*random)();
  return hashes;
}

// The rate of plain filters at `bits_per_key`, whose lines' loads are Poisson.
double PlainRate(double bits_per_key, int probes) {
  constexpr int kLines = 20000;
  std::mt19937_64 random(1);
  std::poisson_distribution<int> load(8 * kLineBytes / bits_per_key);
  LineBuilder builder = LineBuilder::Plain(probes);
  double sum = 0;
  for (int i = 0; i < kLines; ++i) {
    uint8_t line[kLineBytes];
    sum += builder.Build(RandomHashes(load(random), &random), line);
  }
  return sum / kLines;
}

// The bits per key from which on `probes` probes beat `probes - 1`.
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

// The rate of searched lines with exactly `keys` keys.
double SearchedRate(const SearchPlan& plan, int keys, int probes) {
  const int lines = 200 + 20000 / keys;
  std::mt19937_64 random(keys);
  LineSearch search(plan);
  double sum = 0;
  for (int i = 0; i < lines; ++i) {
    const FoundLine found = search.Find(RandomHashes(keys, &random), probes);
    sum += LineRate(found.bits, probes);
  }
  return sum / lines;
}

int BestSearchedProbes(int keys) {
  const int likely = std::clamp(430 / keys, 1, kMaxSearchedProbes);
  int best = 0;
  double best_rate = 2;
  for (int probes = std::max(1, likely - 1);
       probes <= std::min(kMaxSearchedProbes, likely + 2); ++probes) {
    const double rate = SearchedRate(kPlan, keys, probes);
    if (rate < best_rate) {
      best_rate = rate;
      best = probes;
    }
  }
  return best;
}

void PrintPlain() {
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

// The best numbers of probes near a crossing are a matter of noise; counting
// how many loads want at least k probes gives one crossing for each k.
void PrintSearched() {
  constexpr int kMostKeys = 600;
  std::vector<int> loads_with(kMaxSearchedProbes + 1, 0);
  for (int keys = 1; keys <= kMostKeys; ++keys) {
    const int best = BestSearchedProbes(keys);
    for (int probes = 1; probes <= best; ++probes) ++loads_with[probes];
    if (keys % 50 == 0) fprintf(stderr, "searched: %d keys\n", keys);
  }
  printf(
      "\n// Searched lines: with up to this many keys in a line, k probes beat "
      "k - 1;\n// k = 2, 3, ...\n"
      "inline constexpr uint32_t kSearchedMostKeysForProbes[] = {\n");
  for (int probes = 2; probes <= kMaxSearchedProbes; ++probes) {
    printf("    %d,  // k = %d\n", loads_with[probes], probes);
  }
  printf("};\n");
}

// Rates change smoothly, by a factor, so a coarse grid of logarithms will do.
void PrintRates() {
  constexpr int kMostKeys = 640;
  std::vector<int> grid;
  for (int keys = 1; keys <= kMostKeys; keys += 1 + keys / 16) {
    grid.push_back(keys);
  }
  printf(
      "// The natural logarithm of the rate of solved lines, by their number "
      "of "
      "keys.\n"
      "struct SolvedRateRow {\n  int keys;\n  double log_rate;\n};\n"
      "inline constexpr SolvedRateRow kSolvedRates[] = {\n");
  for (const int keys : grid) {
    const double rate = SearchedRate(kPlan, keys, SearchedProbes(keys));
    printf("    {%d, %.4f},\n", keys, std::log(rate));
    fprintf(stderr, "rates: %d keys\n", keys);
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
    linebloom::PrintPlain();
    linebloom::PrintSearched();
  }
}
