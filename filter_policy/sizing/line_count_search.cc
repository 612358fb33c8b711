#include "filter_policy/sizing/line_count_search.h"

#include <algorithm>
#include <cmath>

#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

// A filter this little below the rate is not built again for fewer lines: 3 %
// of the rate are less than 1 % of the memory.
constexpr double kCloseEnough = 0.97;

constexpr double kBitsPerLine = 512;
constexpr uint64_t kFewKeys = 65536;

int MostTries(uint64_t keys) { return keys <= kFewKeys ? 8 : 2; }

// Few lines are crowded by chance; two more are little memory.
uint32_t MostLines(uint32_t first_count) {
  const uint64_t more = std::max<uint64_t>(first_count * uint64_t{3} / 10, 2);
  return static_cast<uint32_t>(
      std::min<uint64_t>(first_count + more, kMaxLines));
}

}  // namespace

LineCountSearch::LineCountSearch(uint32_t first_count, uint64_t keys,
                                 double rate, double log_rate_per_bit)
    : keys_(keys),
      asked_rate_(rate),
      log_rate_per_bit_(log_rate_per_bit),
      most_(MostLines(first_count)),
      count_(first_count) {}

bool LineCountSearch::IsGoodEnough() const {
  return enough_ > 0 &&
         (enough_ - too_few_ == 1 || best_rate_ >= kCloseEnough * asked_rate_);
}

std::optional<uint32_t> LineCountSearch::Next() {
  if (tries_ == 0) return count_;
  if (tries_ >= MostTries(keys_) || IsGoodEnough() || too_few_ == most_) {
    return std::nullopt;
  }
  count_ = Guess();
  return count_;
}

// From the last number of lines and its rate. Later tries aim lower: earlier
// ones were above the rate by chance.
uint32_t LineCountSearch::Guess() const {
  const double aim = asked_rate_ * std::pow(kAim, 1 + tries_);
  const double more_bits =
      count_rate_ > 0 ? std::log(count_rate_ / aim) / log_rate_per_bit_ : -1;
  const double guess =
      count_ + more_bits * static_cast<double>(keys_) / kBitsPerLine;
  const uint32_t low = too_few_ + 1;
  const uint32_t high = enough_ > 0 ? enough_ - 1 : most_;
  return static_cast<uint32_t>(
      std::clamp<double>(std::round(guess), low, high));
}

bool LineCountSearch::Judge(double rate) {
  ++tries_;
  count_rate_ = rate;
  if (rate <= asked_rate_) {
    enough_ = count_;
    best_rate_ = rate;
    return true;
  }
  too_few_ = count_;
  // More lines than the rate is missed with are worth it for a lower one only.
  if (enough_ > 0 || (tries_ > 1 && rate >= best_rate_)) return false;
  best_rate_ = rate;
  return true;
}

}  // namespace linebloom
