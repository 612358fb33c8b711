// Asks a whole linebloom filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "filter_policy/line.h"
#include "table/filter_block.h"

namespace linebloom {

// A view of a filter block's lines; the block's owner keeps it alive.
// Immutable: any number of threads may ask at once.
class FilterReader {
 public:
  // Nothing if the block was not parsed as kReadable, or if this code does not
  // know its kind of line. Then the only right answer is 'may match'.
  static std::optional<FilterReader> Make(const char* block,
                                          const ParsedFilterBlock& parsed);

  // Mixed into the hashes of the keys.
  uint64_t hash_seed() const { return hash_seed_; }

  // Never false for the hash of a key that is in the filter.
  bool MayMatch(uint64_t hash) const {
    return LineMayMatch(shape_, LineAt(hash), hash);
  }

  // Starts to load the line that MayMatch(hash) will read. A block is not
  // always aligned, so that one line can be two lines of the CPU's cache.
  void Prefetch(uint64_t hash) const {
    const uint8_t* line = LineAt(hash);
    __builtin_prefetch(line);
    __builtin_prefetch(line + kLineBytes - 1);
  }

 private:
  FilterReader(const char* block, const FilterBlockInfo& info);

  const uint8_t* LineAt(uint64_t hash) const {
    return lines_ + static_cast<size_t>(LineOf(hash, line_count_)) * kLineBytes;
  }

  const uint8_t* lines_;
  uint32_t line_count_;
  LineShape shape_;
  uint64_t hash_seed_;
};

}  // namespace linebloom
