#include "filter_policy/sizing/sizing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "filter_policy/sizing/expected_rate.h"

namespace linebloom {
namespace {

constexpr uint64_t kMillibitsPerLine = 8 * kLineBytes * kMillibitsPerBit;

// RocksDB reads a block together with its trailer in the file.
constexpr size_t kBlockTrailer = 5;

// The share of a filter's lines below which empty space is not worth a change,
// for example the rest of the last page of a 128 KiB filter with glibc.
constexpr uint32_t kWorthwhile = 32;

// Close to the expected rate, except for a factor that all filters of a kind
// share. ExpectedRate() would take longer than building a small filter.
double RateOf(Line line, uint64_t keys, uint32_t lines) {
  const double bits_per_key = lines * kBitsPerLine / static_cast<double>(keys);
  return std::exp(-LogRatePerBit(line) * bits_per_key);
}

// A filter that is only this far below the rate is not rebuilt with fewer
// lines: 3 % of the rate is less than 1 % of the memory.
constexpr double kCloseEnough = 0.97;

constexpr uint64_t kFewKeys = 65536;

// With few lines, some are crowded by chance, and two more take little memory.
uint32_t MaxLines(uint32_t first_count) {
  const uint64_t more = std::max<uint64_t>(first_count * uint64_t{3} / 10, 2);
  return static_cast<uint32_t>(
      std::min<uint64_t>(first_count + more, kMaxLines));
}

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

void SearchLineCount(uint32_t first_count, uint64_t keys, double rate,
                     double log_rate_per_bit,
                     const std::function<double(uint32_t lines)>& build,
                     const std::function<void()>& keep) {
  const int max_tries = keys <= kFewKeys ? 8 : 2;
  const uint32_t max_lines = MaxLines(first_count);
  uint32_t too_few = 0;  // the most lines that missed the rate
  uint32_t enough = 0;   // the fewest lines that reached it; 0 if none
  double kept_rate = 0;
  uint32_t count = first_count;
  for (int tries = 1;; ++tries) {
    const double got = build(count);
    (got <= rate ? enough : too_few) = count;
    // Without reaching the rate, more lines are worth it only for a lower one.
    if (got <= rate || (enough == 0 && (tries == 1 || got < kept_rate))) {
      kept_rate = got;
      keep();
    }
    const bool is_good_enough =
        enough > 0 &&
        (enough - too_few == 1 || kept_rate >= kCloseEnough * rate);
    if (is_good_enough || tries == max_tries || too_few == max_lines) return;
    // Extrapolates from the last count and its rate. Later tries aim lower,
    // because earlier ones missed the rate by chance.
    const double aim = rate * std::pow(kAimOfSearch, 1 + tries);
    const double more_bits =
        got > 0 ? std::log(got / aim) / log_rate_per_bit : -1;
    const double guess =
        count + more_bits * static_cast<double>(keys) / kBitsPerLine;
    count = static_cast<uint32_t>(std::clamp<double>(
        std::round(guess), too_few + 1, enough > 0 ? enough - 1 : max_lines));
  }
}

size_t MallocUsableSize(size_t bytes) {
#if __has_include(<malloc.h>)
  void* const memory = malloc(bytes);
  const size_t usable = malloc_usable_size(memory);
  free(memory);
  return std::max(bytes, usable);
#else
  return bytes;
#endif
}

uint32_t AllocationRounding::Round(Line line, uint64_t keys, uint32_t lines,
                                   size_t overhead) {
  const size_t beside = overhead + kBlockTrailer;
  const auto usable = [&](uint32_t count) {
    return usable_size_(BytesOfLines(line, count) + beside);
  };
  const size_t size = usable(lines);
  const uint32_t more = LinesWithin(line, size - beside);
  if (more - lines <= lines / kWorthwhile) return lines;
  // The most lines that fit the next smaller size.
  uint32_t fewer = lines / 2;
  if (fewer == 0 || usable(fewer) == size) return more;
  for (uint32_t above = lines; above - fewer > 1;) {
    const uint32_t middle = fewer + (above - fewer) / 2;
    (usable(middle) < size ? fewer : above) = middle;
  }
  const double rate = RateOf(line, keys, lines);
  const double loss =
      static_cast<double>(keys) * (RateOf(line, keys, fewer) - rate);
  const double gain =
      static_cast<double>(keys) * (rate - RateOf(line, keys, more));
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool shrink = debt_ + loss <= 0;
  debt_ += shrink ? loss : -gain;
  return shrink ? fewer : more;
}

}  // namespace linebloom
