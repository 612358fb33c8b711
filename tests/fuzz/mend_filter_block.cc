#include "tests/fuzz/mend_filter_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/little_endian.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom::testing {
namespace {

constexpr char kTail[] = "\xff\x4c\x00\x4c\x42";

// Mends metadata that ends before `end`.
void MendMetadata(uint8_t mends, char* block, char* end) {
  const size_t metadata_size = static_cast<uint8_t>(end[-1]);
  const auto before = static_cast<size_t>(end - block);
  if (metadata_size < kFilterMetadataBytes || metadata_size > before) return;
  char* const metadata = end - metadata_size;
  if ((mends & kMendVersion) != 0) {
    metadata[0] = kFilterBlockVersion;
    // Clears flags that are unknown or that the metadata has no room for, and
    // that of the canonical key, with which readers of keys answer nothing.
    metadata[20] &= metadata_size < kFilterSeededMetadataBytes ? 3
                    : metadata_size < kMaxFilterMetadataBytes  ? 7
                                                               : 7 | 16;
  }
  if ((mends & kMendLines) != 0) {
    StoreLittleEndian(metadata + 4, LinesWithin(static_cast<Line>(metadata[1]),
                                                before - metadata_size));
  }
  if ((mends & kMendChecksum) != 0) {
    StoreLittleEndian(end - 5, static_cast<uint32_t>(
                                   XXH3_64bits(metadata, metadata_size - 5)));
  }
}

}  // namespace

void MendFilterBlock(uint8_t mends, char* block, size_t size) {
  if (size < kFilterBlockOverhead) return;
  char* const end = block + size - kFilterTailBytes;
  if ((mends & kMendTail) != 0) std::memcpy(end, kTail, kFilterTailBytes);
  if ((mends & kMendMetadataSize) != 0) {
    end[-1] = kFilterMetadataBytes;
  }
  MendMetadata(mends, block, end);
}

}  // namespace linebloom::testing
