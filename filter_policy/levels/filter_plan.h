// How to build the filters of a file.
#pragma once

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"

namespace linebloom {

struct FilterPlan {
  FilterSettings settings;
  // Empty if the filters have the bits per key of `settings`, whatever is in
  // them.
  SizeOfKeys size_of_keys = {};
  bool needs_range = false;  // `size_of_keys` looks at the first and last

  // For a filter with these keys.
  FilterSize SizeOf(const FilterKeys& keys) const {
    return size_of_keys ? size_of_keys(keys)
                        : FilterSize{settings.millibits_per_key, settings.heat};
  }
};

}  // namespace linebloom
