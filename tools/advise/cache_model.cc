#include "tools/advise/cache_model.h"

#include <cmath>
#include <limits>

namespace linebloom::tools {
namespace {

constexpr double kForever = 1e18;  // lookups

// Of a block that isn't of high priority. It is found within `low_time` of a
// miss, and then, promoted, within both times of each request.
double MissRatioOfLow(double rate, double high_time, double low_time) {
  const double after_miss = -std::expm1(-rate * low_time);
  const double gone = std::exp(-rate * (high_time + low_time));
  return gone + after_miss > 0 ? gone / (gone + after_miss) : 1;
}

// The time, from 0 to kForever, at which `bytes_at`, which grows, reaches
// `bytes`.
template <typename Function>
double TimeFor(double bytes, const Function& bytes_at) {
  if (bytes_at(kForever) <= bytes) return kForever;
  double low = -10;  // natural logarithms
  double high = std::log(kForever);
  for (int i = 0; i < 34; ++i) {
    const double middle = (low + high) / 2;
    (bytes_at(std::exp(middle)) < bytes ? low : high) = middle;
  }
  return std::exp(high);
}

}  // namespace

void CacheModel::Add(const CachedBlocks& blocks) {
  const double bytes = blocks.count * blocks.bytes;
  if (bytes <= 0 || blocks.rate <= 0) return;
  const int step = static_cast<int>(std::floor(20 * std::log(blocks.rate)));
  Bytes& sum = blocks_[blocks.high_priority ? 1 : 0][step];
  sum.rate = (sum.rate * sum.bytes + blocks.rate * bytes) / (sum.bytes + bytes);
  sum.bytes += bytes;
  total_ += bytes;
}

// The bytes in the cache, or in its segment of high priority. (A block's state
// at any time is as its requests find it.)
double CacheModel::Filled(double high_time, double low_time,
                          bool high_segment) const {
  double filled = 0;
  for (const auto& [step, sum] : blocks_[1]) {
    const double time = high_segment ? high_time : high_time + low_time;
    filled += sum.bytes * -std::expm1(-sum.rate * time);
  }
  for (const auto& [step, sum] : blocks_[0]) {
    const double found = 1 - MissRatioOfLow(sum.rate, high_time, low_time);
    filled += sum.bytes * found *
              (high_segment ? -std::expm1(-sum.rate * high_time) : 1);
  }
  return filled;
}

double CacheModel::HighTimeFor(double bytes, double low_time) const {
  if (bytes <= 0) return 0;
  return TimeFor(bytes, [&](double high_time) {
    return Filled(high_time, low_time, /*high_segment=*/true);
  });
}

void CacheModel::Solve(double capacity, double high_share) {
  if (total_ <= capacity) {
    high_time_ = low_time_ = std::numeric_limits<double>::infinity();
    return;
  }
  if (capacity <= 0) {
    high_time_ = low_time_ = 0;
    return;
  }
  const double high_bytes = high_share * capacity;
  low_time_ = TimeFor(capacity, [&](double low_time) {
    return Filled(HighTimeFor(high_bytes, low_time), low_time,
                  /*high_segment=*/false);
  });
  high_time_ = HighTimeFor(high_bytes, low_time_);
}

double CacheModel::MissRatio(double rate, bool high_priority) const {
  if (std::isinf(low_time_)) return 0;
  return high_priority ? std::exp(-rate * (high_time_ + low_time_))
                       : MissRatioOfLow(rate, high_time_, low_time_);
}

}  // namespace linebloom::tools
