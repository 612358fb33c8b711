#include "filter_policy/line/builder/solved_shape.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// In whole numbers, so that the same keys give the same bytes on every CPU.
LineShape SolvedShape(uint64_t keys, uint32_t lines) {
  constexpr int64_t kPerKey = 256;
  constexpr int64_t kRoom = int64_t{kLineUnknowns} * kPerProbe * kPerKey;
  constexpr uint64_t kMostMean = kMostHeader;  // as good as any larger one
  const int64_t mean =
      static_cast<int64_t>(std::min(keys, kMostMean * lines) * kPerKey / lines);
  // 16 times the standard deviation, which is the root of the mean.
  const auto sixteen_sd =
      static_cast<int64_t>(std::sqrt(static_cast<double>(mean)));
  const int64_t most = mean + sixteen_sd * 16 * 11 / 2;
  const int64_t fewest =
      std::max(mean - sixteen_sd * 16 * 17 / 10, 8 * kPerKey);

  constexpr int64_t kReserve = 10;  // thirty-seconds, for unlucky lines
  LineShape shape;
  shape.base = static_cast<uint8_t>(std::clamp<int64_t>(
      kRoom / std::max(most, kPerKey) - kReserve, kLeastSolvedBase, UINT8_MAX));
  const int64_t range = kRoom / fewest - shape.base;
  shape.step = static_cast<uint8_t>(std::clamp<int64_t>(
      (range + kMostHeader - 1) / kMostHeader, 1, kMostSolvedStep));
  return shape;
}

}  // namespace linebloom
