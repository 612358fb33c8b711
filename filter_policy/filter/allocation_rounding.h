// Rounds filters of solved lines to what malloc provides
// (optimize_filters_for_memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace linebloom {

// How many bytes malloc provides for `bytes`.
size_t MallocUsableSize(size_t bytes);

// Chooses numbers of lines so that little of the memory that the block cache
// allocates stays empty: a filter grows to the end of malloc's size or shrinks
// to that of the next smaller one (jemalloc's are up to a fifth apart). Over
// all keys of all filters the expected rate is no higher than without rounding.
// Thread-safe.
class AllocationRounding {
 public:
  using UsableSize = size_t (*)(size_t bytes);

  explicit AllocationRounding(UsableSize usable_size = MallocUsableSize)
      : usable_size_(usable_size) {}

  // The number of lines to build for `keys` keys that should have `lines`, both
  // more than 0. `overhead` is the size of the block's other bytes.
  uint32_t Round(uint64_t keys, uint32_t lines, size_t overhead);

 private:
  const UsableSize usable_size_;
  std::mutex mutex_;
  // How much worse all filters so far are than without rounding: the sum of
  // keys times the difference of rates.
  double debt_ = 0;
};

}  // namespace linebloom
