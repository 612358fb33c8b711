#include "tools/io_compare/report/rate_curves.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "tools/policies/ribbon.h"

namespace linebloom::tools {
namespace {

constexpr double kLeastBits = 2;
constexpr double kStep = 0.5;

template <typename Rate>
RateCurve Curve(const std::string& name, double least_bits, double most_bits,
                Rate rate) {
  RateCurve curve = {name, {}};
  for (double bits = least_bits; bits <= most_bits; bits += kStep) {
    curve.places.push_back({bits, rate(bits)});
  }
  return curve;
}

double BloomRate(double bits) {
  double best = 1;
  for (int k = 1; k <= 30; ++k) {
    best = std::min(best, std::pow(1 - std::exp(-k / bits), k));
  }
  return best;
}

double LinebloomRate(double bits) {
  return ExpectedRate(
      LineKind::kSolved,
      static_cast<uint32_t>(std::lround(bits * kMillibitsPerBit)),
      8.0 * kLineBytes / bits);
}

absl::StatusOr<RateCurve> RibbonCurve(double most_bits) {
  RateCurve curve = {"RocksDB's Ribbon", {}};
  // A Ribbon filter takes 0.7 times the memory that it is asked for by.
  for (double asked = kLeastBits / 0.7; asked < most_bits / 0.7; asked += 1.5) {
    const auto block = BuildRibbonBlock(asked, kMaxRibbonKeys);
    if (!block.ok()) return block.status();
    const std::optional<double> rate =
        BuiltInFilterRate(block->data(), block->size(), kMaxRibbonKeys);
    if (!rate.has_value()) continue;
    curve.places.push_back({8.0 * static_cast<double>(block->size()) /
                                static_cast<double>(kMaxRibbonKeys),
                            *rate});
  }
  return curve;
}

}  // namespace

absl::StatusOr<std::vector<RateCurve>> MakeRateCurves(double most_bits) {
  absl::StatusOr<RateCurve> ribbon = RibbonCurve(most_bits);
  if (!ribbon.ok()) return ribbon.status();
  // Smaller solved lines have no room for two probes of each key.
  const double least_solved = 2.5;
  return std::vector<RateCurve>{
      Curve("a Bloom filter", kLeastBits, most_bits, BloomRate),
      Curve("linebloom", least_solved, most_bits, LinebloomRate),
      *std::move(ribbon),
      Curve("the bound, 2^-bits", kLeastBits, most_bits,
            [](double bits) { return std::exp2(-bits); })};
}

}  // namespace linebloom::tools
