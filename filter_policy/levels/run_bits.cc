#include "filter_policy/levels/run_bits.h"

#include <utility>
#include <vector>

namespace linebloom {
namespace {

std::vector<RunPart> PartsOf(const Run& run, const HeatProfile* heat) {
  if (heat == nullptr) return WholeRuns(run.tree);
  std::vector<RunPart> parts;
  for (const double keys : run.tree) {
    for (const HeatProfile::Part& part : heat->classes()) {
      parts.push_back({keys * part.key_share, part.key_share * part.heat});
    }
  }
  return parts;
}

}  // namespace

RunBits::RunBits(const Run& run, std::shared_ptr<const HeatProfile> heat,
                 double average_bits, double log_rate_per_bit)
    : keys_(run.keys),
      heat_(std::move(heat)),
      allocation_(PartsOf(run, heat_.get()), average_bits, log_rate_per_bit) {}

double RunBits::HeatOf(const rocksdb::Slice& first,
                       const rocksdb::Slice& last) const {
  if (heat_ == nullptr) return 1;
  return heat_->HeatOf(first.ToStringView(), last.ToStringView());
}

double RunBits::BitsOf(double heat) const {
  return allocation_.BitsOf(keys_ / heat);
}

double RunBits::MeanOf(const std::optional<KeyRange>& range) const {
  if (heat_ == nullptr) return BitsOf(1);
  const std::vector<HeatProfile::Part> parts =
      range ? heat_->PartsOf(range->first, range->last) : heat_->classes();
  double keys = 0;
  double bits = 0;
  for (const HeatProfile::Part& part : parts) {
    keys += part.key_share;
    bits += part.key_share * BitsOf(part.heat);
  }
  return bits / keys;
}

}  // namespace linebloom
