// How to build the filters of a file.
#pragma once

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"

namespace linebloom {

struct FilterPlan {
  FilterSettings settings;
  // Empty if the filters have the bits per key of `settings`, whatever is in
  // them.
  MillibitsOfKeys millibits_of_keys = {};
  bool needs_range = false;  // `millibits_of_keys` looks at the first and last
};

}  // namespace linebloom
