// The checksums of an SSTable's blocks and footer.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace linebloom {

// The values are those stored in the footer.
enum class ChecksumType : uint8_t {
  kNone = 0,
  kCrc32c = 1,  // masked as in LevelDB
  kXxHash32 = 2,
  kXxHash64 = 3,  // its low 32 bits
  kXxh3 = 4,      // low 32 bits, combined with a product of the last byte
};

// True if `type` is one of the above.
bool IsKnownChecksumType(uint8_t type);

// For example "CRC32c".
absl::string_view ChecksumName(ChecksumType type);

// The checksum of a block's payload and the type byte after it, or of a footer.
// XXH3 treats the last byte separately, so the view must end where the summed
// bytes end. 0 for kNone, as RocksDB stores it.
uint32_t ComputeChecksum(ChecksumType type, absl::string_view bytes);

// Since format_version 6 this is added to the checksum of the block or footer
// at `offset`, so that a block moved within a file or to another file fails.
// `base` is the footer's base context checksum; 0 adds nothing.
uint32_t ChecksumContext(uint32_t base, uint64_t offset);

}  // namespace linebloom
