// Probes a whole filter of lines, solved or plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernel.h"

namespace linebloom {

// A view of a filter block's lines, which must outlive it. Immutable; any
// number of threads may probe it. Uses the kernel that it was created with.
class FilterReader {
 public:
  // Returns nullopt if the block can't be probed: it is neither kLinebloom nor
  // kBloom, or was built with a different canonical key. Treat every key as a
  // possible match then.
  static std::optional<FilterReader> Make(
      const char* block, const ParsedFilter& parsed,
      const LineKernel& kernel = ChosenKernel(), uint64_t canonical_key = 0);

  // Never returns false for a key in the filter.
  bool MayMatch(const char* key, size_t size) const {
    return hash_.seed() == 0 ? MayMatchUnseeded(key, size)
                             : MayMatchSeeded(key, size);
  }
  // If the hash has no seed.
  bool MayMatchUnseeded(const char* key, size_t size) const {
    return probe_.key_may_match(filter_, key, size);
  }

  // The same for hashes computed by hash(), at most kMaxBatch. Callers should
  // prefetch each hash first.
  void MayMatch(const uint64_t* hashes, int count, bool* may_match) const {
    probe_.hashes_may_match(filter_, hashes, count, may_match);
  }
  bool MayMatch(uint64_t hash) const {
    return probe_.hash_may_match(filter_, hash);
  }

  // Starts loading what tells which line the hash belongs to.
  void Prefetch(uint64_t hash) const {
    if (filter_.codes == nullptr) return;
    __builtin_prefetch(filter_.codes + GroupOf(hash, filter_.line_count));
  }

  const KeyHash& hash() const { return hash_; }

 private:
  // Not inlined, so that callers that end with a probe need no stack.
  bool MayMatchSeeded(const char* key, size_t size) const;

  FilterReader(const FilterView& filter, const KeyHash& hash,
               const ProbeFunctions& probe)
      : filter_(filter), hash_(hash), probe_(probe) {}

  FilterView filter_;
  KeyHash hash_;
  ProbeFunctions probe_;
};

}  // namespace linebloom
