// The bits per key of a run's parts.
#pragma once

#include <memory>
#include <optional>

#include "filter_policy/levels/family_heat.h"
#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/levels/sorted_run.h"
#include "filter_policy/sizing/level_allocation.h"
#include "rocksdb/slice.h"

namespace linebloom {

class RunBits {
 public:
  // Every part of the run gets the same number of bits if `heat` is null.
  RunBits(const Run& run, std::shared_ptr<const HeatProfile> heat,
          double average_bits, double log_rate_per_bit);

  // The heat of the keys from `first` to `last`, 1 without `heat`, and the bits
  // of a filter of such keys.
  double HeatOf(const rocksdb::Slice& first, const rocksdb::Slice& last) const;
  double BitsOf(double heat) const;

  // The mean over all of the run's keys in a range, or without one.
  double MeanOf(const std::optional<KeyRange>& range) const;

 private:
  double keys_;
  std::shared_ptr<const HeatProfile> heat_;
  BitsAllocation allocation_;
};

}  // namespace linebloom
