// Generates the table next to this file, from simulated lines and their exact
// rates:
//
//   solved_rates > filter_policy/filter/solved_rates.inc
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "filter_policy/line/line_builder.h"

namespace linebloom {
namespace {

std::vector<uint64_t> RandomHashes(int count, std::mt19937_64* random) {
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = (*random)();
  return hashes;
}

// The rate of solved filters with a mean of `keys` keys per line: groups whose
// numbers of keys are Poisson distributed.
double SolvedRate(int keys) {
  const int groups =
      keys < 64 ? 40000 : 4000;  // with few keys, some lines are far worse
  std::mt19937_64 random(keys);
  std::poisson_distribution<int> load(kLinesPerGroup * std::max(keys, 1));
  LineBuilder builder(SolvedShape(uint64_t{1000} * keys, 1000));
  uint8_t line[kLineBytes];  // of which the rate alone counts
  for (int i = 0; i < groups; ++i) {
    const std::vector<uint64_t> hashes = RandomHashes(load(random), &random);
    SliceCounts counts = {};
    for (const uint64_t hash : hashes) {
      ++counts[LineOf(hash, kLinesPerGroup)][SliceOf(hash, kLinesPerGroup)];
    }
    const uint8_t code = ChooseCode(counts);
    std::vector<uint64_t> by_line[kLinesPerGroup];
    for (const uint64_t hash : hashes) {
      by_line[BalancedLineOf(hash, kLinesPerGroup, code)].push_back(hash);
    }
    for (const std::vector<uint64_t>& of_line : by_line) {
      builder.Add(of_line, line);
    }
  }
  return builder.Finish() / groups / kLinesPerGroup;
}

template <typename Number>
void Print(const char* format, int first, int last, const Number& number) {
  for (int i = first; i <= last; ++i) {
    const int column = (i - first) % 7;
    printf(column == 0 ? "    " : " ");
    printf(format, number(i));
    if (column == 6 || i == last) printf("\n");
    fflush(stdout);
  }
}

void PrintTable() {
  printf(R"(// Made by filter_policy/filter/solved_rates.cc; do not edit.
#pragma once

namespace linebloom {

// The natural logarithm of the rate of solved filters with a mean of 0, 1, ...
// keys per line.
inline constexpr double kSolvedLogRates[] = {
)");
  // Filters with more keys per line match nearly everything.
  Print("%.4f,", 0, kMaxSolvedKeys,
        [](int keys) { return std::log(SolvedRate(keys)); });
  printf("};\n\n}  // namespace linebloom\n");
}

}  // namespace
}  // namespace linebloom

int main() { linebloom::PrintTable(); }
