#include "filter_policy/sizing/sizing.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <numeric>

#include "filter_policy/line/line_builder.h"
#include "filter_policy/line/line_tables.inc"

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

constexpr double kSolvedBitsPerLine = kBitsPerLine - 8;  // without the header
constexpr double kMaxSummedKeys = 10'000;

double RateOfPlainLine(int probes, double keys) {
  const double fill = 1 - std::pow(1 - probes / kBitsPerLine, keys);
  return std::pow(fill, probes);
}

static_assert(kBitsPerLine * kMillibitsPerBit / kMinSolvedMillibits <
                  std::size(kSolvedLogRates) - 1,
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

double RateOfMillibits(Line line, uint32_t millibits) {
  return ExpectedRate(line, millibits,
                      kBitsPerLine * kMillibitsPerBit / millibits);
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

double ExpectedRate(Line line, uint32_t millibits, double keys_per_line) {
  if (std::isnan(keys_per_line)) return 1;  // a filter that rejects nothing
  const int plain_probes = PlainProbes(millibits);
  const bool is_plain =
      BuiltLine(line, static_cast<uint32_t>(std::min(
                          kBitsPerLine * kMillibitsPerBit / keys_per_line,
                          1.0 * kMaxMillibits))) == Line::kPlain;
  if (!is_plain) return SolvedRate(keys_per_line);
  // The line is so full that differences between lines no longer matter.
  if (keys_per_line > kMaxSummedKeys) {
    return RateOfPlainLine(plain_probes, keys_per_line);
  }
  return MeanOverLines(keys_per_line, [plain_probes](int keys) {
    return RateOfPlainLine(plain_probes, keys);
  });
}

double MeanOverLines(double keys_per_line,
                     const std::function<double(int)>& rate) {
  const double spread = 10 * std::sqrt(keys_per_line) + 10;
  const int least = static_cast<int>(std::max(0.0, keys_per_line - spread));
  const int most = static_cast<int>(keys_per_line + spread);
  double mean = 0;
  for (int keys = least; keys <= most; ++keys) {
    const double share = std::exp(keys * std::log(keys_per_line) -
                                  keys_per_line - std::lgamma(keys + 1.0));
    mean += share * rate(keys);
  }
  return mean;
}

double LogRatePerBit(Line line) {
  return line == Line::kPlain
             ? std::numbers::ln2 * std::numbers::ln2
             : std::numbers::ln2 * kSolvedBitsPerLine / kBitsPerLine;
}

double LowestRate(Line line) { return RateOfMillibits(line, kMaxMillibits); }

std::optional<uint32_t> BitsForRate(Line line, double rate) {
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
  void* const memory = malloc(bytes);
  const size_t usable = malloc_usable_size(memory);
  free(memory);
  return std::max(bytes, usable);
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
