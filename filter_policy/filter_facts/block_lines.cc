#include "filter_policy/filter_facts/block_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

// The metadata after the lines of RocksDB's filters.
constexpr size_t kBuiltInTailBytes = 5;

// The share of missing keys whose bits are all set, in a line with the share
// `fill` of its bits set: each probe hits a random bit of the line.
double BloomLineRate(double fill, const BuiltInFilter& filter) {
  return std::pow(fill, filter.probes);
}

// The probes are equidistant, modulo the line's bits. If the distance is a
// multiple of a large power of 2, probes coincide: of 512 distances, one is 0
// and leaves a single probe, one is 256 and leaves two, two leave four, and so
// on.
double LegacyBloomLineRate(double fill, const BuiltInFilter& filter) {
  const uint32_t distances = 8 * filter.line_bytes;
  double rate = fill / distances;
  for (uint32_t half = 1; half < distances; half *= 2) {
    // `half` of the distances leave twice as many different probes.
    const double share = static_cast<double>(half) / distances;
    rate += share * std::pow(fill, std::min<double>(filter.probes, 2.0 * half));
  }
  return rate;
}

}  // namespace

void ForEachLine(absl::string_view block, const LineShape& shape,
                 uint64_t count, LineSink sink) {
  const auto* const lines = reinterpret_cast<const uint8_t*>(block.data());
  for (uint64_t i = 0; i < count; ++i) {
    sink(i, ReadLine(shape, lines + i * kLineBytes));
  }
}

void ForEachBuiltInLine(absl::string_view block, const BuiltInFilter& filter,
                        LineSink sink) {
  const auto rate_of_fill = filter.kind == BuiltInFilterKind::kLegacyBloom
                                ? LegacyBloomLineRate
                                : BloomLineRate;
  const uint64_t count = (block.size() - kBuiltInTailBytes) / filter.line_bytes;
  LineContents line;
  line.probes = filter.probes;
  line.bits = static_cast<int>(8 * filter.line_bytes);
  for (uint64_t i = 0; i < count; ++i) {
    line.bits_set = 0;
    for (uint32_t at = 0; at < filter.line_bytes; at += 8) {
      line.bits_set += std::popcount(LoadLittleEndian<uint64_t>(
          block.data() + i * filter.line_bytes + at));
    }
    line.rate = rate_of_fill(line.fill(), filter);
    sink(i, line);
  }
}

bool ForEachLineOfAny(absl::string_view block, LineSink sink) {
  const ParsedFilterBlock parsed = ParseFilterBlock(block.data(), block.size());
  if (parsed.kind == FilterBlockKind::kReadable) {
    const LineShape shape = ShapeOf(parsed.info);
    if (!IsReadable(shape)) return false;
    ForEachLine(block, shape, parsed.info.lines, sink);
    return true;
  }
  if (parsed.kind != FilterBlockKind::kForeign) return false;
  const BuiltInFilter filter = ParseBuiltInFilter(block.data(), block.size());
  if (filter.kind != BuiltInFilterKind::kBloom &&
      filter.kind != BuiltInFilterKind::kLegacyBloom) {
    return false;
  }
  ForEachBuiltInLine(block, filter, sink);
  return true;
}

}  // namespace linebloom
