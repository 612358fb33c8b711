// Filter blocks. Those of solved lines are linebloom's own: lines, metadata,
// and a tail of 5 bytes that makes RocksDB's readers answer 'may match'. Those
// of plain lines are RocksDB's Bloom filters. docs/format.md describes them and
// gives the reasons for each field. No other code knows the offsets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr uint8_t kFilterBlockVersion = 1;
inline constexpr size_t kFilterMetadataBytes = 26;
inline constexpr size_t kFilterTailBytes = 5;
// The fewest bytes of a block besides its lines.
inline constexpr size_t kFilterBlockOverhead =
    kFilterMetadataBytes + kFilterTailBytes;

// What to build. The policy makes it from a file's options, BuildFilter obeys
// it, the block stores it, and linebloom::RebuildFilters compares it with
// another.
struct FilterRequest {
  // At least 1. Not stored with a rate.
  uint32_t millibits_per_key = 10000;
  LineKind line =
      LineKind::kSolved;  // in a block: of its lines, also if unknown
  // The rest is for solved lines only: RocksDB's format has no room for it.
  uint64_t hash_seed = 0;  // used to compute the hashes
  // Of blocks that earlier policies built for a rate, which now stands for
  // bits: that rate, less than 1, stored as a float. 0: none.
  double false_positive_rate = 0;
  bool level_aware = false;  // true if bits or rate depend on the file's level
  // Names the function that maps keys to the bytes that are hashed
  // (CanonicalId in filter_policy/policy/policy_options.h). 0: the keys
  // themselves are.
  uint64_t canonical_key = 0;

  friend bool operator==(const FilterRequest&, const FilterRequest&) = default;
};

// The contents of a filter's metadata.
struct FilterBlockInfo {
  uint8_t version = kFilterBlockVersion;
  FilterRequest request = {.millibits_per_key = 0};
  LineShape shape;
  uint32_t lines = 0;
  // Keys and prefixes in the filter, capped at the largest number.
  uint32_t keys = 0;
  // The false-positive rate to expect: the mean of the lines' exact rates, to
  // the nearest float.
  float expected_false_positive_rate = 0;

  friend bool operator==(const FilterBlockInfo&,
                         const FilterBlockInfo&) = default;
};

// The number of bytes after the lines. Plain: kFilterTailBytes. Solved:
// kFilterBlockOverhead, and 8 more each with a hash seed and with a canonical
// key.
size_t FilterBlockOverhead(const FilterRequest& request);

// Writes that many bytes, which belong directly after the lines. Of plain lines
// only the number of probes, info.shape.base, is stored.
void WriteFilterBlockEnd(const FilterBlockInfo& info, char* to);

// The block for no keys. Same bytes as RocksDB's Bloom filter writes; it
// rejects every key. RocksDB cuts partitions without keys if enough
// neighbouring rows lack a prefix, and its MultiGet takes a partition of 0
// bytes for the end of the index: it finds none of those rows.
extern const char kEmptyFilterBlock[kFilterTailBytes];

// Filters of linebloom and of RocksDB share a name in a file, so readers meet
// both.
enum class BlockKind {
  kEmpty,  // no keys: kEmptyFilterBlock or 0 bytes; rejects every key
  kLinebloom,
  kUnusable,     // linebloom's, damaged or newer: rejects nothing
  kBloom,        // plain lines: ours, or RocksDB's of format_version 5 on
  kRibbon,       // RocksDB's, 128 bits wide
  kLegacyBloom,  // RocksDB's, format_version below 5
  kReserved,     // RocksDB reserves this kind and answers for it
  kInconsistent  // contradicts itself: linebloom rejects nothing
};

// True for the kinds that RocksDB's readers read.
bool IsOfRocksDb(BlockKind kind);

// What a block's last bytes say about it.
struct ParsedFilter {
  BlockKind kind = BlockKind::kEmpty;
  // kLinebloom; kUnusable: as far as readable; kBloom: shape, lines and
  // request.line.
  FilterBlockInfo info = {};
  const char* problem = nullptr;  // kUnusable: what is wrong, a static string

  // Of RocksDB's kinds:
  int probes = 0;           // kBloom, kLegacyBloom
  uint32_t line_bytes = 0;  // kBloom, kLegacyBloom
  uint32_t blocks = 0;      // kRibbon: blocks of 128 slots
};

// Never reads outside `data[0, size)`, whatever it contains, and doesn't read
// the lines. RocksDB's formats are those of its
// table/block_based/filter_policy.cc, 7.8 to 11.9.
ParsedFilter ParseFilter(const char* data, size_t size);

}  // namespace linebloom
