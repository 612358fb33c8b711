// RocksDB's own full filters (Bloom, Ribbon, and the Bloom filter of
// format_version below 5), as far as their last 5 bytes tell. They share
// linebloom's name in a file, so readers meet them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom {

enum class BuiltInFilterKind {
  kBloom,        // blocked Bloom, format_version 5 or higher
  kRibbon,       // Ribbon, 128 bits wide
  kLegacyBloom,  // blocked Bloom, format_version below 5
  kNoKeys,       // only the tail of a Bloom kind: rejects every key
  kReserved,     // a kind that RocksDB reserves, so RocksDB answers for it
  kInconsistent  // claims one of the kinds above, but no builder writes this
};

struct BuiltInFilter {
  BuiltInFilterKind kind;
  int probes = 0;           // Bloom kinds only
  uint32_t line_bytes = 0;  // Bloom kinds only
  uint32_t blocks = 0;      // kRibbon: blocks of 128 slots
};

// Parses the end of a filter that is not linebloom's. Never reads outside
// `data[0, size)`. The format is taken from RocksDB's
// table/block_based/filter_policy.cc, 7.8 to 11.9.
BuiltInFilter ParseBuiltInFilter(const char* data, size_t size);

}  // namespace linebloom
