// Builds a whole filter block from the hashes of its keys.
#pragma once

#include <cstddef>
#include <memory>

#include "filter_policy/filter/allocation_rounding.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/line/kernel/line_kernel.h"

namespace linebloom {

// The bytes of a filter block (docs/format.md).
struct FilterBlock {
  std::unique_ptr<const char[]> bytes;
  size_t size = 0;
};

// Builds the block with the number of lines for the request's bits per key. The
// request is AsBuilt(): solved lines of fewer bits would match everything.
// Plain lines are the bytes that RocksDB's Bloom filter has for these hashes
// and bits, without optimize_filters_for_memory. `rounding`, null for plain
// lines, is shared by all filters of a policy. Repeated hashes take space but
// do no harm. No hashes make a block without lines. In addition to the block,
// this takes the memory of the list's largest bucket, 8 bytes per hash, and
// LineBuilder's.
FilterBlock BuildFilter(const HashList& hashes, const FilterRequest& request,
                        const LineKernel& kernel = ChosenKernel(),
                        AllocationRounding* rounding = nullptr);

}  // namespace linebloom
