#include "filter_policy/sizing/sizing.h"

#include <algorithm>

namespace linebloom {
namespace {

constexpr uint64_t kMillibitsPerLine = 8 * kLineBytes * kMillibitsPerBit;

}  // namespace

uint32_t LinesFor(uint64_t keys, uint32_t millibits) {
  const auto total = static_cast<unsigned __int128>(keys) * millibits;
  const auto lines = (total + kMillibitsPerLine - 1) / kMillibitsPerLine;
  return static_cast<uint32_t>(std::min<unsigned __int128>(lines, kMaxLines));
}

uint32_t LinesWithin(Line line, size_t bytes) {
  size_t lines = bytes / kLineBytes;
  if (line == Line::kSolved) {
    const size_t group = BytesOfLines(line, kLinesPerGroup);
    const size_t rest = bytes % group;  // fewer lines, and a code for them
    lines = bytes / group * kLinesPerGroup +
            (rest == 0 ? 0 : (rest - 1) / kLineBytes);
  }
  return static_cast<uint32_t>(std::min<size_t>(lines, kMaxLines));
}

uint64_t KeysFor(uint32_t lines, uint32_t millibits) {
  return lines * kMillibitsPerLine / millibits;
}

uint32_t MillibitsFor(uint32_t lines, uint64_t keys) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(lines * kMillibitsPerLine / keys, UINT32_MAX));
}

}  // namespace linebloom
