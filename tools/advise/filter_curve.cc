#include "tools/advise/filter_curve.h"

#include <algorithm>
#include <cmath>

#include "table/block_facts.h"
#include "table/status.h"
#include "tools/shared/policies.h"

namespace linebloom::tools {

absl::StatusOr<FilterCurve> FilterCurve::Of(
    std::string (*option_string)(int bits)) {
  constexpr uint64_t kKeys = 10'000;
  FilterCurve curve;
  for (int bits = 1; bits <= kMaxBits; ++bits) {
    ASSIGN_OR_RETURN(const NamedPolicy made, MakePolicy(option_string(bits)));
    const std::string block = BuildFilterBlock(*made.policy, kKeys);
    curve.points_.push_back(
        {8.0 * block.size() / kKeys, ReadBlockFacts(block, kKeys).rate});
  }
  return curve;
}

FilterSize FilterCurve::Requested(double bits, double keys) const {
  const auto i = static_cast<size_t>(std::clamp(bits, 1.0, kMaxBits - 1.0)) - 1;
  const Point& a = points_[i];
  const Point& b = points_[i + 1];
  const double part = bits - (i + 1);
  return OfBits(a.bits + part * (b.bits - a.bits), keys);
}

FilterSize FilterCurve::OfBits(double bits, double keys) const {
  size_t i = 1;
  while (i + 1 < points_.size() && points_[i].bits < bits) ++i;
  const Point& a = points_[i - 1];
  const Point& b = points_[i];
  const double slope = std::log(b.rate / a.rate) / (b.bits - a.bits);
  return {keys * bits / 8,
          std::min(1.0, a.rate * std::exp(slope * (bits - a.bits)))};
}

}  // namespace linebloom::tools
