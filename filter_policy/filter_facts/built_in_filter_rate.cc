#include "filter_policy/filter_facts/built_in_filter_rate.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/filter/built_in_filter.h"

namespace linebloom {
namespace {

constexpr size_t kTailBytes = 5;
constexpr size_t kRibbonColumnBytes = 16;
constexpr double kLineBits = 512;

}  // namespace

// The number of keys per line is Poisson distributed (Putze, Sanders, Singler
// 2009).
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes) {
  const double load = static_cast<double>(keys) / static_cast<double>(lines);
  const double spread = 10 * std::sqrt(load) + 10;
  const int least = static_cast<int>(std::max(0.0, load - spread));
  const int most = static_cast<int>(load + spread);
  double rate = 0;
  for (int n = least; n <= most; ++n) {
    const double share =
        std::exp(n * std::log(load) - load - std::lgamma(n + 1.0));
    const double fill = 1 - std::pow(1 - 1 / kLineBits, n * probes);
    rate += share * std::pow(fill, probes);
  }
  return rate;
}

double RibbonRate(uint64_t columns, uint64_t blocks) {
  const uint64_t fewest = columns / blocks;
  const auto fewer = static_cast<double>(fewest);
  const double share_with_more =
      static_cast<double>(columns % blocks) / static_cast<double>(blocks);
  return (1 - share_with_more) * std::exp2(-fewer) +
         share_with_more * std::exp2(-fewer - 1);
}

std::optional<double> BuiltInFilterRate(const char* data, size_t size,
                                        uint64_t keys) {
  const BuiltInFilter filter = ParseBuiltInFilter(data, size);
  if (filter.kind == BuiltInFilterKind::kBloom && keys > 0) {
    const uint64_t lines = (size - kTailBytes) / filter.line_bytes;
    return BlockedBloomRate(keys, lines, filter.probes);
  }
  if (filter.kind == BuiltInFilterKind::kRibbon) {
    return RibbonRate((size - kTailBytes) / kRibbonColumnBytes, filter.blocks);
  }
  return std::nullopt;
}

}  // namespace linebloom
