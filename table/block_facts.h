// Facts about a filter block of any kind: lines, expected rate.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"

namespace linebloom {

// For example "RocksDB Bloom".
absl::string_view ToString(BlockKind kind);

struct BlockFacts : ParsedFilter {
  uint64_t bytes = 0;

  // The false-positive rate. 1 if the block rejects nothing. Of kLegacyBloom
  // only a lower limit.
  double rate = 0;

  // True if the rate comes from the block's bits alone, without assumptions.
  bool rate_is_exact() const {
    return kind == BlockKind::kLinebloom || kind == BlockKind::kBloom ||
           kind == BlockKind::kEmpty;
  }
};

BlockFacts ReadBlockFacts(absl::string_view block);

}  // namespace linebloom
