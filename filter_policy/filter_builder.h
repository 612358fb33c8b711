// Builds a whole filter block from the hashes of its keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter_policy/hash_list.h"
#include "filter_policy/line_kernel.h"
#include "linebloom/build_effort.h"

namespace linebloom {

struct FilterSettings {
  uint32_t millibits_per_key = 10000;  // at least 1
  BuildEffort effort = BuildEffort::kBalanced;
  uint64_t hash_seed = 0;  // that the hashes were made with
};

// A filter block's bytes (docs/format.md).
struct FilterBlock {
  std::unique_ptr<const char[]> bytes;
  size_t size = 0;
};

// Builds the block. Repeats among the hashes take room but do no harm. No
// hashes make a block of size 0, which matches nothing. Beside the block it
// needs the memory of the list's largest bucket, 8 bytes a hash.
FilterBlock BuildFilter(const HashList& hashes, const FilterSettings& settings,
                        const LineKernel& kernel = ChosenKernel());

}  // namespace linebloom
