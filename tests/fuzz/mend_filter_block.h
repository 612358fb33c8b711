// Mends parts of a filter block, so that a fuzzer gets past the checks.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom::testing {

// The parts to mend; docs/format.md describes the fields. All of them together
// make a block readable if its size is that of whole lines plus 50 bytes of
// metadata.
inline constexpr uint8_t kMendTail = 1;
inline constexpr uint8_t kMendMetadataSize = 2;
inline constexpr uint8_t kMendVersion = 4;  // and the reserved bytes
inline constexpr uint8_t kMendLines = 8;
inline constexpr uint8_t kMendChecksum = 16;
inline constexpr uint8_t kMendAll = 31;

inline constexpr size_t kSeededMetadataBytes = 34;  // with a hash seed

inline constexpr char kTail[] = "\xff\x4c\x00\x4c\x42";

// Mends metadata that ends before `end`.
inline void MendMetadata(uint8_t mends, char* block, char* end) {
  const size_t metadata_size = static_cast<uint8_t>(end[-1]);
  const auto before = static_cast<size_t>(end - block);
  if (metadata_size < kFilterMetadataBytes || metadata_size > before) return;
  char* const metadata = end - metadata_size;
  if ((mends & kMendVersion) != 0) {
    metadata[0] = kFilterBlockVersion;
    // Clears flags that are unknown or that the metadata has no room for, and
    // that of the canonical key, with which readers of keys answer nothing.
    metadata[20] &= metadata_size < kSeededMetadataBytes      ? 3
                    : metadata_size < kMaxFilterMetadataBytes ? 7
                                                              : 7 | 16;
  }
  if ((mends & kMendLines) != 0) {
    StoreLittleEndian(metadata + 4, NumLinesInBytes(LineKind::kSolved,
                                                    before - metadata_size));
  }
  if ((mends & kMendChecksum) != 0) {
    StoreLittleEndian(end - 5, static_cast<uint32_t>(
                                   XXH3_64bits(metadata, metadata_size - 5)));
  }
}

// Leaves alone what doesn't fit the block.
inline void MendFilterBlock(uint8_t mends, char* block, size_t size) {
  if (size < kFilterBlockOverhead) return;
  char* const end = block + size - kFilterTailBytes;
  if ((mends & kMendTail) != 0) std::memcpy(end, kTail, kFilterTailBytes);
  if ((mends & kMendMetadataSize) != 0) end[-1] = kFilterMetadataBytes;
  MendMetadata(mends, block, end);
}

}  // namespace linebloom::testing
