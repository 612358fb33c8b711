// RocksDB's own full filters (Bloom, Ribbon, the Bloom filter of format_version
// below 5), as far as their last 5 bytes tell. All of them share linebloom's
// name in a file, so a reader meets them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom {

enum class BuiltInFilterKind {
  kBloom,        // blocked Bloom, format_version 5 on
  kRibbon,       // Ribbon, 128 bits wide
  kLegacyBloom,  // blocked Bloom, format_version below 5
  kNoKeys,       // the tail of a Bloom kind alone: denies every key
  kReserved,     // a kind that RocksDB keeps for later; it answers for it
  kInconsistent  // claims a kind above, but no builder writes it like this
};

struct BuiltInFilter {
  BuiltInFilterKind kind;
  int probes = 0;           // of the Bloom kinds
  uint32_t line_bytes = 0;  // of the Bloom kinds
  uint32_t blocks = 0;      // of kRibbon: 128 slots each
};

// Reads the end of a filter that is not linebloom's. Never reads outside
// `data[0, size)`. Facts from RocksDB's table/block_based/filter_policy.cc,
// 7.8 to 11.9.
BuiltInFilter ParseBuiltInFilter(const char* data, size_t size);

}  // namespace linebloom
