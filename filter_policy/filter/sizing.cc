#include "filter_policy/filter/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "filter_policy/filter/solved_rates.inc"
#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

constexpr uint64_t kMillibitsPerLine = 8 * kLineBytes * kMillibitsPerBit;

constexpr double kSolvedBitsPerLine = kBitsPerLine - 8;  // without the header

// The rate of a plain line with `keys` keys: the share of its bits that are
// set, to the power of the probes.
double RateWithKeys(int probes, double keys) {
  const double fill = 1 - std::pow(1 - 1 / kBitsPerLine, probes * keys);
  return std::pow(fill, probes);
}

// The rate of plain lines. Their numbers of keys are Poisson distributed
// (Putze, Sanders, Singler 2009), as if probes were independent.
double PlainLineRate(int probes, double keys_per_line) {
  // The line is so full that differences between lines no longer matter.
  if (keys_per_line > 10'000) return RateWithKeys(probes, keys_per_line);
  const double spread = 10 * std::sqrt(keys_per_line) + 10;
  const int least = static_cast<int>(std::max(0.0, keys_per_line - spread));
  const int most = static_cast<int>(keys_per_line + spread);
  double mean = 0;
  for (int keys = least; keys <= most; ++keys) {
    const double share = std::exp(keys * std::log(keys_per_line) -
                                  keys_per_line - std::lgamma(keys + 1.0));
    mean += share * RateWithKeys(probes, keys);
  }
  return mean;
}

constexpr double kMostSolvedKeys =
    kBitsPerLine * kMillibitsPerBit / kMinSolvedMillibits;
static_assert(kMostSolvedKeys < std::size(kSolvedLogRates) - 1,
              "solved lines don't have more keys than the table covers");

// Between two rows of the table the logarithm is nearly linear in the bits per
// key.
double SolvedRate(double keys_per_line) {
  const double keys = std::max(keys_per_line, 1.0);
  const auto row = static_cast<size_t>(keys);
  const double share = (1.0 / row - 1 / keys) / (1.0 / row - 1.0 / (row + 1));
  return std::exp(
      std::lerp(kSolvedLogRates[row], kSolvedLogRates[row + 1], share));
}

double RateOfMillibits(LineKind line, uint32_t millibits) {
  return ExpectedRate(line, millibits,
                      kBitsPerLine * kMillibitsPerBit / millibits);
}

}  // namespace

uint32_t NumLinesForKeys(uint64_t keys, uint32_t millibits) {
  const auto millibits_of_all =
      static_cast<unsigned __int128>(keys) * millibits;
  const auto lines =
      (millibits_of_all + kMillibitsPerLine - 1) / kMillibitsPerLine;
  return static_cast<uint32_t>(std::min<unsigned __int128>(lines, kMaxLines));
}

uint32_t NumLinesInBytes(LineKind line, size_t bytes) {
  size_t lines = bytes / kLineBytes;
  if (line == LineKind::kSolved) {
    const size_t group = BytesOfLines(line, kLinesPerGroup);
    const size_t rest = bytes % group;  // fewer lines, and a code for them
    lines = bytes / group * kLinesPerGroup +
            (rest == 0 ? 0 : (rest - 1) / kLineBytes);
  }
  return static_cast<uint32_t>(std::min<size_t>(lines, kMaxLines));
}

uint64_t MaxKeysForLines(uint32_t lines, uint32_t millibits) {
  return lines * kMillibitsPerLine / millibits;
}

uint32_t MillibitsPerKey(uint32_t lines, uint64_t keys) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(lines * kMillibitsPerLine / keys, UINT32_MAX));
}

double ExpectedRate(LineKind line, uint32_t millibits, double keys_per_line) {
  if (line == LineKind::kSolved && keys_per_line <= kMostSolvedKeys) {
    return SolvedRate(keys_per_line);
  }
  return PlainLineRate(PlainProbes(millibits), keys_per_line);
}

double LogRatePerBit(LineKind line) {
  return line == LineKind::kPlain
             ? std::numbers::ln2 * std::numbers::ln2
             : std::numbers::ln2 * kSolvedBitsPerLine / kBitsPerLine;
}

std::optional<uint32_t> BitsForRate(LineKind line, double rate) {
  const auto reaches = [line, rate](uint32_t millibits) {
    // False for NaN.
    return RateOfMillibits(line, millibits) <= rate;
  };
  if (!reaches(kMaxMillibits)) return std::nullopt;
  if (reaches(kMinMillibits)) return kMinMillibits;
  uint32_t too_few = kMinMillibits;
  uint32_t enough = kMaxMillibits;
  while (enough - too_few > 1) {
    const uint32_t middle = std::midpoint(too_few, enough);
    (reaches(middle) ? enough : too_few) = middle;
  }
  return enough;
}

// A plain line's rate takes some 20 microseconds, so those are computed once.
// Below kMinSolvedMillibits solved lines are built as plain ones.
double RateOf(LineKind line, double bits_per_key) {
  constexpr double kStep = 1.0 / 8;
  constexpr double kMinSolved = 1.0 * kMinSolvedMillibits / kMillibitsPerBit;
  constexpr auto kPoints =
      static_cast<size_t>((kMaxBitsOfRun - kMinBitsOfRun) / kStep) + 1;
  const auto rate = [](LineKind of, double bits) {
    return RateOfMillibits(of, static_cast<uint32_t>(bits * kMillibitsPerBit));
  };
  if (bits_per_key <= 0) return 1;
  if (line == LineKind::kSolved && bits_per_key >= kMinSolved) {
    return rate(LineKind::kSolved, bits_per_key);
  }
  static const auto plain_rates = [&] {
    std::array<double, kPoints> rates = {};
    for (size_t i = 0; i < rates.size(); ++i) {
      rates[i] = rate(LineKind::kPlain, kMinBitsOfRun + i * kStep);
    }
    return rates;
  }();
  const double place = std::max(0.0, bits_per_key - kMinBitsOfRun) / kStep;
  const auto i = std::min(static_cast<size_t>(place), kPoints - 2);
  return std::lerp(plain_rates[i], plain_rates[i + 1],
                   std::min(1.0, place - static_cast<double>(i)));
}

}  // namespace linebloom
