#include "filter_policy/sizing/line_count_search.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

// A filter that is only this far below the rate is not rebuilt with fewer
// lines: 3 % of the rate is less than 1 % of the memory.
constexpr double kCloseEnough = 0.97;

constexpr uint64_t kFewKeys = 65536;

int MaxTries(uint64_t keys) { return keys <= kFewKeys ? 8 : 2; }

// With few lines, some are crowded by chance, and two more take little memory.
uint32_t MaxLines(uint32_t first_count) {
  const uint64_t more = std::max<uint64_t>(first_count * uint64_t{3} / 10, 2);
  return static_cast<uint32_t>(
      std::min<uint64_t>(first_count + more, kMaxLines));
}

}  // namespace

LineCountSearch::LineCountSearch(uint32_t first_count, uint64_t keys,
                                 double rate, double log_rate_per_bit)
    : keys_(keys),
      requested_rate_(rate),
      log_rate_per_bit_(log_rate_per_bit),
      max_lines_(MaxLines(first_count)),
      count_(first_count) {}

bool LineCountSearch::IsGoodEnough() const {
  return enough_ > 0 && (enough_ - too_few_ == 1 ||
                         best_rate_ >= kCloseEnough * requested_rate_);
}

std::optional<uint32_t> LineCountSearch::Next() {
  if (tries_ == 0) return count_;
  if (tries_ >= MaxTries(keys_) || IsGoodEnough() || too_few_ == max_lines_) {
    return std::nullopt;
  }
  count_ = Guess();
  return count_;
}

// Extrapolates from the last count and its rate. Later tries aim lower, because
// earlier ones missed the rate by chance.
uint32_t LineCountSearch::Guess() const {
  const double aim = requested_rate_ * std::pow(kAim, 1 + tries_);
  const double more_bits =
      count_rate_ > 0 ? std::log(count_rate_ / aim) / log_rate_per_bit_ : -1;
  const double guess =
      count_ + more_bits * static_cast<double>(keys_) / kBitsPerLine;
  const uint32_t low = too_few_ + 1;
  const uint32_t high = enough_ > 0 ? enough_ - 1 : max_lines_;
  return static_cast<uint32_t>(
      std::clamp<double>(std::round(guess), low, high));
}

bool LineCountSearch::Judge(double rate) {
  ++tries_;
  count_rate_ = rate;
  if (rate <= requested_rate_) {
    enough_ = count_;
    best_rate_ = rate;
    return true;
  }
  too_few_ = count_;
  // Without reaching the rate, more lines are worth it only for a lower one.
  if (enough_ > 0 || (tries_ > 1 && rate >= best_rate_)) return false;
  best_rate_ = rate;
  return true;
}

}  // namespace linebloom
