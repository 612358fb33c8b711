#include "tools/io_compare_prediction.h"

#include <cmath>

namespace linebloom::tools {

std::optional<double> PredictedFalsePositiveRate(rocksdb::DB* /*db*/) {
  return std::nullopt;
}

double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes) {
  constexpr double kLineBits = 512;
  const double load = static_cast<double>(keys) / static_cast<double>(lines);
  // Ten standard deviations above the mean there is nothing left.
  const int most = static_cast<int>(load + 10 * std::sqrt(load) + 10);
  double rate = 0;
  double probability = std::exp(-load);  // of a line with n keys
  for (int n = 0; n <= most; ++n) {
    const double fill = 1 - std::pow(1 - 1 / kLineBits, n * probes);
    rate += probability * std::pow(fill, probes);
    probability *= load / (n + 1);
  }
  return rate;
}

double RibbonRate(uint64_t filter_bytes, uint64_t blocks) {
  (void)filter_bytes;
  (void)blocks;
  return 0;
}

}  // namespace linebloom::tools
