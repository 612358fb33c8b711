#include "tests/fuzz/mend_filter_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom::testing {
namespace {

constexpr char kTail[] = "\xff\x4c\x00\x4c\x42";

// Of metadata that ends before `end`.
void MendMetadata(uint8_t mends, char* block, char* end) {
  const size_t metadata_size = LoadLittleEndian<uint16_t>(end - 2);
  const auto before = static_cast<size_t>(end - block);
  if (metadata_size < kFilterMetadataBytes || metadata_size > before) return;
  char* const metadata = end - metadata_size;
  if ((mends & kMendVersion) != 0) {
    metadata[0] = kFilterBlockVersion;
    std::fill_n(metadata + 5, 3, '\0');
  }
  if ((mends & kMendLines) != 0) {
    StoreLittleEndian(metadata + 8,
                      static_cast<uint32_t>((before - metadata_size) / 64));
  }
  if ((mends & kMendChecksum) != 0) {
    StoreLittleEndian<uint64_t>(end - 10,
                                XXH3_64bits(metadata, metadata_size - 10));
  }
}

}  // namespace

void MendFilterBlock(uint8_t mends, char* block, size_t size) {
  if (size < kFilterBlockOverhead) return;
  char* const end = block + size - kFilterTailBytes;
  if ((mends & kMendTail) != 0) std::memcpy(end, kTail, kFilterTailBytes);
  if ((mends & kMendMetadataSize) != 0) {
    StoreLittleEndian<uint16_t>(end - 2, kFilterMetadataBytes);
  }
  MendMetadata(mends, block, end);
}

}  // namespace linebloom::testing
