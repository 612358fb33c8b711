// RocksDB's optimize_filters_for_memory: filters that fill what malloc gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "filter_policy/line/line.h"

namespace linebloom {

// What malloc gives for `bytes`, in bytes; `bytes` themselves where the C
// library does not tell.
size_t MallocUsableSize(size_t bytes);

// Chooses the numbers of lines of a policy's filters so that little of the
// memory that RocksDB's block cache allocates for them is left empty. Some
// allocators have few sizes, up to a fifth apart (jemalloc); glibc's has so
// many that nothing changes. A filter grows to the end of its size, or shrinks
// to the end of the one below; in the long run, over all keys of all filters,
// the expected rate is what it would be without rounding, or less. Thread-safe.
class AllocationRounding {
 public:
  using UsableSize = size_t (*)(size_t bytes);

  explicit AllocationRounding(UsableSize usable_size = MallocUsableSize)
      : usable_size_(usable_size) {}

  // The lines to build for `keys` keys that should have `lines`, both more than
  // 0; `overhead` are the block's other bytes.
  uint32_t Round(LineKind line, uint64_t keys, uint32_t lines, size_t overhead);

 private:
  const UsableSize usable_size_;
  std::mutex mutex_;
  // By which all filters so far are worse than without rounding: the sum of
  // keys times the difference of the rates.
  double debt_ = 0;
};

}  // namespace linebloom
