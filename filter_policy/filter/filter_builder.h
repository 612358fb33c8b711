// Builds a whole filter block from the hashes of its keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter_policy/filter/hash_list.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/allocation_rounding.h"

namespace linebloom {

struct FilterSettings {
  // At least 1. For a rate, the size to try first.
  uint32_t millibits_per_key = 10000;
  LineKind line = LineKind::kSolved;
  uint64_t hash_seed = 0;  // used to compute the hashes
  // The highest rate that the filter may have, less than 1; 0: use the bits.
  double asked_rate = 0;
  // True if bits or rate depend on the file's level. Only stored in the block.
  bool level_aware = false;
  // FilterBlockInfo::canonical_key, whose bytes the hashes are of. Only stored.
  uint64_t canonical_key = 0;
  // FilterBlockInfo::heat. Only stored in the block.
  float heat = 0;
  // Shared by all filters of the policy; null: no rounding. Unused for a rate,
  // for which a filter gets the fewest lines.
  std::shared_ptr<AllocationRounding> rounding = nullptr;
};

// The bytes of a filter block (docs/format.md).
struct FilterBlock {
  std::unique_ptr<const char[]> bytes;
  size_t size = 0;
};

// The bytes of a block in addition to its lines.
size_t OverheadOf(const FilterSettings& settings);

// Builds the block: with the number of lines for the bits per key or, for a
// rate, the fewest lines that are found to have it, or that come near it if
// keys crowd (line_count_search.h). The block states its rate. Repeated hashes
// take space but do no harm. No hashes make a block of size 0, which matches
// nothing. In addition to the block, this takes the memory of the list's
// largest bucket, 8 bytes per hash.
FilterBlock BuildFilter(const HashList& hashes, const FilterSettings& settings,
                        const LineKernel& kernel = ChosenKernel());

}  // namespace linebloom
