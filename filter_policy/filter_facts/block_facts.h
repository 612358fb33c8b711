// What one filter block is and which rate it will have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/line.h"

namespace linebloom {

enum class BlockKind {
  kEmpty,  // 0 bytes, or 5 of RocksDB's: no key was added, every key is denied
  kLinebloom,
  kUnusable,     // linebloom's, damaged or newer: denies nothing
  kBloom,        // RocksDB's, format_version 5 on
  kRibbon,       // RocksDB's
  kLegacyBloom,  // RocksDB's, format_version below 5
  kReserved,     // of a kind that RocksDB keeps for later: denies nothing
  kInconsistent  // contradicts itself: linebloom denies nothing
};

// "RocksDB Bloom" and so on.
absl::string_view ToString(BlockKind kind);

struct BlockFacts {
  BlockKind kind = BlockKind::kEmpty;
  uint64_t bytes = 0;
  const char* problem = nullptr;  // of kUnusable: what is wrong

  FilterBlockInfo info;  // of kLinebloom; of kUnusable as far as it was read
  std::optional<LineShape> shape;  // of kLinebloom with lines that are known

  // Of kinds that have lines, whatever their size.
  uint64_t lines = 0;
  int line_bytes = 0;
  double least_probes = 0;
  double most_probes = 0;
  double mean_probes = 0;  // over the lines
  double fill = 0;         // share of set bits, 0 to 1

  // The rate of missing keys that the filter lets pass. For kLinebloom exact,
  // from the bits as they are; for RocksDB's kinds an estimate; 1 where nothing
  // is denied.
  double rate = 0;
};

// `keys` is how many keys the block has, 0 where that is not known; only the
// estimate of kLegacyBloom uses it.
BlockFacts ReadBlockFacts(absl::string_view block, uint64_t keys);

}  // namespace linebloom
