// The kind of a filter block and the rate to expect from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/line.h"

namespace linebloom {

enum class BlockKind {
  kEmpty,  // no keys: 0 bytes, or RocksDB's 5; rejects every key
  kLinebloom,
  kUnusable,     // linebloom's, damaged or newer: rejects nothing
  kBloom,        // RocksDB's, format_version 5 or higher
  kRibbon,       // RocksDB's
  kLegacyBloom,  // RocksDB's, format_version below 5
  kReserved,     // RocksDB reserves this kind: rejects nothing
  kInconsistent  // contradicts itself: linebloom rejects nothing
};

// For example "RocksDB Bloom".
absl::string_view ToString(BlockKind kind);

struct BlockFacts {
  BlockKind kind = BlockKind::kEmpty;
  uint64_t bytes = 0;
  const char* problem = nullptr;  // kUnusable: what is wrong

  FilterBlockInfo info;  // kLinebloom; kUnusable: as far as it could be read
  std::optional<LineShape> shape;  // kLinebloom with a known kind of line

  // Only for kinds with lines, of any size.
  uint64_t lines = 0;
  int line_bytes = 0;
  double least_probes = 0;
  double most_probes = 0;
  double mean_probes = 0;  // over the lines
  double fill = 0;         // share of set bits, 0 to 1

  // The false-positive rate. kLinebloom: exact, from the block's bits.
  // RocksDB's kinds: an estimate. 1 if the block rejects nothing.
  double rate = 0;
};

// `keys` is the number of keys in the block, 0 if unknown. Only the estimate of
// kLegacyBloom uses it.
BlockFacts ReadBlockFacts(absl::string_view block, uint64_t keys);

}  // namespace linebloom
