// A linebloom filter block: lines, then metadata, then a tail of 5 bytes that
// RocksDB's own readers take for "may match". docs/format.md draws it and says
// why each field is there; this file is the only code that knows the offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linebloom {

inline constexpr uint8_t kFilterBlockVersion = 1;
inline constexpr size_t kFilterMetadataBytes = 50;
// With what was asked for beside bits per key.
inline constexpr size_t kFilterLongMetadataBytes = 66;
inline constexpr size_t kFilterTailBytes = 5;
// What a block has beside its lines: at least, and at most.
inline constexpr size_t kFilterBlockOverhead =
    kFilterMetadataBytes + kFilterTailBytes;
inline constexpr size_t kFilterBlockMostOverhead =
    kFilterLongMetadataBytes + kFilterTailBytes;

// What the metadata says of a filter.
struct FilterBlockInfo {
  uint8_t version = kFilterBlockVersion;
  // LineKind, LineShape::probes and LineShape::rotation_bits as numbers: what
  // they mean is the line's business (filter_policy/line/line.h).
  uint8_t line_kind = 0;
  uint8_t probes = 0;
  uint8_t rotation_bits = 0;
  // BuildEffort as a number. Informs; a reader does not need it.
  uint8_t build_effort = 0;
  uint32_t lines = 0;
  // The bits per key that were asked for, in thousandths; 0 where a rate was.
  uint32_t asked_millibits = 0;
  // Keys and prefixes in the filter.
  uint64_t keys = 0;
  uint64_t hash_seed = 0;
  // The rate to expect of keys that are not in the filter: the mean of the
  // lines' exact rates.
  double expected_false_positive_rate = 0;

  // The long metadata's; without it 0 and false.
  double asked_false_positive_rate = 0;  // 0 where bits were asked for
  bool level_aware = false;  // whether what was asked depends on the level

  friend bool operator==(const FilterBlockInfo&,
                         const FilterBlockInfo&) = default;
};

// The bytes behind the lines: kFilterBlockOverhead, so that a filter of which
// only bits were asked has the bytes that it always had, or
// kFilterBlockMostOverhead.
size_t FilterBlockOverhead(const FilterBlockInfo& info);

// Writes that many bytes, which belong right behind the lines.
void WriteFilterBlockEnd(const FilterBlockInfo& info, char* to);

enum class FilterBlockKind {
  kNoKeys,    // length 0: nothing matches
  kReadable,  // a linebloom block of a version that this code knows
  kUnusable,  // a linebloom block that is damaged or newer: all may match
  kForeign,   // not a linebloom block
};

struct ParsedFilterBlock {
  FilterBlockKind kind;
  FilterBlockInfo info;  // of kReadable; of kUnusable as far as it was read
  const char* problem;   // of kUnusable: what is wrong, a static string
};

// Reads the end of a block. Never reads outside `data[0, size)`, whatever it
// holds. Says nothing of the lines' contents and nothing of whether the line
// kind is known.
ParsedFilterBlock ParseFilterBlock(const char* data, size_t size);

// A field behind the lines, for people who look at the bytes. The names are
// those of docs/format.md.
struct FilterBlockField {
  const char* name;
  size_t offset;  // in the block
  size_t bytes;
};

// The fields of a block that was parsed as kReadable, in order, the tail last;
// of a block that is not, nothing.
std::vector<FilterBlockField> ListFilterBlockFields(const char* data,
                                                    size_t size);

}  // namespace linebloom
