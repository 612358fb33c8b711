// Builds a whole filter block from the hashes of its keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter_policy/filter/hash_list.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"

namespace linebloom {

struct FilterSettings {
  // At least 1. With an asked rate: what to try first.
  uint32_t millibits_per_key = 10000;
  LineKind line = LineKind::kSolved;
  uint64_t hash_seed = 0;  // that the hashes were made with
  // The highest rate that the filter may have, less than 1; 0: the bits count.
  double asked_rate = 0;
  // Whether bits or rate depend on the file's level. Written down, no more.
  bool level_aware = false;
};

// A filter block's bytes (docs/format.md).
struct FilterBlock {
  std::unique_ptr<const char[]> bytes;
  size_t size = 0;
};

// The bytes of a block beside its lines.
size_t OverheadOf(const FilterSettings& settings);

// Builds the block: with as many lines as the bits per key give or, for an
// asked rate, with the fewest that it finds to have it or, where keys crowd, to
// come near it (line_count_search.h). The block says which rate it has. Repeats
// among the hashes take room but do no harm. No hashes make a block of size 0,
// which matches nothing. Beside the block it needs the memory of the list's
// largest bucket, 8 bytes a hash.
FilterBlock BuildFilter(const HashList& hashes, const FilterSettings& settings,
                        const LineKernel& kernel = ChosenKernel());

}  // namespace linebloom
