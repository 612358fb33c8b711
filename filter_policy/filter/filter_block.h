// A linebloom filter block: lines, then metadata, then a tail of 5 bytes that
// RocksDB's own readers take for "may match". docs/format.md draws it and says
// why each field is there; this file is the only code that knows the offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr uint8_t kFilterBlockVersion = 1;
inline constexpr size_t kFilterMetadataBytes = 26;
inline constexpr size_t kFilterSeededMetadataBytes = 34;  // with a hash seed
inline constexpr size_t kFilterTailBytes = 5;
// What a block has beside its lines: at least, and at most.
inline constexpr size_t kFilterBlockOverhead =
    kFilterMetadataBytes + kFilterTailBytes;
inline constexpr size_t kFilterBlockMostOverhead =
    kFilterSeededMetadataBytes + kFilterTailBytes;

// What the metadata says of a filter.
struct FilterBlockInfo {
  uint8_t version = kFilterBlockVersion;
  // LineKind and what else a LineShape has, as numbers: what they mean is the
  // line's business (filter_policy/line/line.h).
  uint8_t line_kind = 0;
  uint8_t probes_or_base = 0;  // probes of plain lines, base of solved ones
  uint8_t step = 0;            // 0 of plain lines
  uint32_t lines = 0;
  // Keys and prefixes in the filter; the largest number for more.
  uint32_t keys = 0;
  // The rate to expect of keys that are not in the filter: the mean of the
  // lines' exact rates, to the nearest float.
  float expected_false_positive_rate = 0;
  // One of the two is what was asked for, the other 0: bits per key, in
  // thousandths, or a rate.
  uint32_t asked_millibits = 0;
  float asked_false_positive_rate = 0;
  bool level_aware = false;  // whether what was asked depends on the level
  uint64_t hash_seed = 0;

  friend bool operator==(const FilterBlockInfo&,
                         const FilterBlockInfo&) = default;
};

// The bytes behind the lines: kFilterBlockOverhead, with a hash seed
// kFilterBlockMostOverhead.
size_t FilterBlockOverhead(const FilterBlockInfo& info);

// Writes that many bytes, which belong right behind the lines.
void WriteFilterBlockEnd(const FilterBlockInfo& info, char* to);

// What the metadata of lines of this shape says, and the other way round.
void SetShape(const LineShape& shape, FilterBlockInfo* info);
LineShape ShapeOf(const FilterBlockInfo& info);

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
