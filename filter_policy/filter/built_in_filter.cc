#include "filter_policy/filter/built_in_filter.h"

#include <bit>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

constexpr size_t kTailBytes = 5;
constexpr BuiltInFilter kInconsistent{BuiltInFilterKind::kInconsistent};
constexpr BuiltInFilter kReserved{BuiltInFilterKind::kReserved};
constexpr BuiltInFilter kNoKeys{BuiltInFilterKind::kNoKeys};

constexpr int kMaxProbes = 30;

// Tail: FF, sub-implementation, line size and probes, two reserved bytes.
BuiltInFilter ParseBloom(const char* tail, size_t size) {
  const int probes = tail[2] & 31;
  const int line_bytes = 64 << (static_cast<uint8_t>(tail[2]) >> 5);
  if (tail[1] != 0 || tail[3] != 0 || tail[4] != 0 || probes == 0 ||
      probes > kMaxProbes || line_bytes != 64) {
    return size == 0 ? kInconsistent : kReserved;
  }
  if (size == 0) return kNoKeys;
  if (size % 64 != 0) return kInconsistent;
  return {BuiltInFilterKind::kBloom, probes, 64, 0};
}

// Tail: FE, hash seed, number of blocks in 3 bytes. A block of 128 slots asks
// for up to 32 columns of 16 bytes, and blocks differ by at most one column.
// With less than 1.4 bits per key some blocks have none and reject nothing.
// With optimize_filters_for_memory, on by default in newer versions, the filter
// takes what malloc gives for it, up to a third more: RocksDB reads the columns
// beyond 32 as it wrote them.
BuiltInFilter ParseRibbon(const char* tail, size_t size) {
  constexpr size_t kColumn = 16;
  const uint32_t blocks = LoadLittleEndian<uint32_t>(tail + 1) >> 8;
  if (blocks < 2) return size == 0 ? kInconsistent : kReserved;
  const size_t columns = size / kColumn;
  if (size % kColumn != 0 || columns == 0 ||
      columns > 32 * size_t{blocks} * 4 / 3) {
    return kInconsistent;
  }
  return {BuiltInFilterKind::kRibbon, 0, 0, blocks};
}

// True if a tail after `size` bytes looks like the beginning of a linebloom
// block's metadata (docs/format.md): version, line kind, the rest of the shape,
// and the lowest byte of the number of lines. A block of 16,777,217 + 256 *
// probes plain lines, truncated there, has exactly the length that these bytes
// mean as a legacy tail with one probe.
bool BeginsLinebloomMetadata(const char* tail, size_t size) {
  const auto byte = [&](int i) { return static_cast<uint8_t>(tail[i]); };
  FilterBlockInfo info;
  info.request.line = static_cast<Line>(byte(1));
  info.probes_or_base = byte(2);
  info.step = byte(3);
  return byte(0) == kFilterBlockVersion && IsReadable(ShapeOf(info)) &&
         size % kLineBytes == 0 &&
         byte(4) == static_cast<uint8_t>(size / kLineBytes);
}

// Tail: probes, number of lines in 4 bytes. A line is as long as a cache line
// of the machine that wrote it.
BuiltInFilter ParseLegacyBloom(const char* tail, size_t size) {
  if (BeginsLinebloomMetadata(tail, size)) return kInconsistent;
  const uint32_t lines = LoadLittleEndian<uint32_t>(tail + 1);
  if (size == 0 && lines == 0 && tail[0] <= kMaxProbes) return kNoKeys;
  if (lines == 0 || size % lines != 0) return kInconsistent;
  const size_t line_bytes = size / lines;
  if (!std::has_single_bit(line_bytes) || line_bytes < 32 || line_bytes > 256) {
    return kInconsistent;
  }
  return {BuiltInFilterKind::kLegacyBloom, tail[0],
          static_cast<uint32_t>(line_bytes), 0};
}

}  // namespace

BuiltInFilter ParseBuiltInFilter(const char* data, size_t size) {
  if (size < kTailBytes) return kInconsistent;
  const size_t bits_size = size - kTailBytes;
  const char* const tail = data + bits_size;
  const auto marker = static_cast<int8_t>(tail[0]);
  if (marker == -1) return ParseBloom(tail, bits_size);
  if (marker == -2) return ParseRibbon(tail, bits_size);
  if (marker > 0) return ParseLegacyBloom(tail, bits_size);
  // RocksDB treats a lone tail as a filter without keys, whatever it says, but
  // no builder writes any other.
  return bits_size == 0 ? kInconsistent : kReserved;
}

}  // namespace linebloom
