#include "filter_policy/line/builder/solved_shape.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// Integers only, so that the same keys give the same bytes on every CPU.
LineShape SolvedShape(uint64_t keys, uint32_t lines) {
  constexpr int64_t kPerKey = 256;
  constexpr int64_t kRoom = int64_t{kLineUnknowns} * kPerProbe * kPerKey;
  constexpr uint64_t kMaxMean = kMaxHeader;  // larger means change nothing
  const int64_t mean =
      static_cast<int64_t>(std::min(keys, kMaxMean * lines) * kPerKey / lines);
  // 16 times the standard deviation, which is the square root of the mean.
  const auto sixteen_sd =
      static_cast<int64_t>(std::sqrt(static_cast<double>(mean)));
  const int64_t most = mean + sixteen_sd * 16 * 11 / 2;
  const int64_t fewest =
      std::max(mean - sixteen_sd * 16 * 17 / 10, 8 * kPerKey);

  constexpr int64_t kReserve = 10;  // thirty-seconds, for unlucky lines
  LineShape shape;
  shape.base = static_cast<uint8_t>(std::clamp<int64_t>(
      kRoom / std::max(most, kPerKey) - kReserve, kMinSolvedBase, UINT8_MAX));
  const int64_t range = kRoom / fewest - shape.base;
  shape.step = static_cast<uint8_t>(std::clamp<int64_t>(
      (range + kMaxHeader - 1) / kMaxHeader, 1, kMaxSolvedStep));
  return shape;
}

}  // namespace linebloom
