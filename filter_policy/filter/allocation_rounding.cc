#include "filter_policy/filter/allocation_rounding.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "filter_policy/filter/sizing.h"

namespace linebloom {
namespace {

// RocksDB reads a block together with its trailer in the file.
constexpr size_t kBlockTrailer = 5;

// The share of a filter's lines below which empty space is not worth a change,
// for example the rest of the last page of a 128 KiB filter with glibc.
constexpr uint32_t kWorthwhile = 32;

// Proportional to the expected rate; only ratios matter here. ExpectedRate()
// would take longer than building a small filter.
double RateOf(uint64_t keys, uint32_t lines) {
  const double bits_per_key = lines * kBitsPerLine / static_cast<double>(keys);
  return std::exp(-LogRatePerBit(LineKind::kSolved) * bits_per_key);
}

}  // namespace

size_t MallocUsableSize(size_t bytes) {
  void* const memory = malloc(bytes);
  const size_t usable = malloc_usable_size(memory);
  free(memory);
  return std::max(bytes, usable);
}

uint32_t AllocationRounding::Round(uint64_t keys, uint32_t lines,
                                   size_t overhead) {
  constexpr LineKind kLine = LineKind::kSolved;
  const size_t beside = overhead + kBlockTrailer;
  const auto usable = [&](uint32_t count) {
    return usable_size_(BytesOfLines(kLine, count) + beside);
  };
  const size_t size = usable(lines);
  const uint32_t more = NumLinesInBytes(kLine, size - beside);
  if (more - lines <= lines / kWorthwhile) return lines;
  // The most lines that fit the next smaller size.
  uint32_t fewer = lines / 2;
  if (fewer == 0 || usable(fewer) == size) return more;
  for (uint32_t above = lines; above - fewer > 1;) {
    const uint32_t middle = fewer + (above - fewer) / 2;
    (usable(middle) < size ? fewer : above) = middle;
  }
  const double rate = RateOf(keys, lines);
  const double loss = static_cast<double>(keys) * (RateOf(keys, fewer) - rate);
  const double gain = static_cast<double>(keys) * (rate - RateOf(keys, more));
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool shrink = debt_ + loss <= 0;
  debt_ += shrink ? loss : -gain;
  return shrink ? fewer : more;
}

}  // namespace linebloom
