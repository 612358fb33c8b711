// The checksums of an SSTable's blocks and footer.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace linebloom {

// The values are those in the footer.
enum class ChecksumType : uint8_t {
  kNone = 0,
  kCrc32c = 1,  // masked as in LevelDB
  kXxHash32 = 2,
  kXxHash64 = 3,  // its low 32 bits
  kXxh3 = 4,      // low 32 bits, with the last byte mixed in by a product
};

// Whether `type` is one of the above.
bool IsKnownChecksumType(uint8_t type);

// "CRC32c" and so on.
absl::string_view ChecksumName(ChecksumType type);

// The checksum of a block's payload and the type byte behind it, or of a
// footer. The last byte counts apart for XXH3, so the view must end where the
// summed bytes end. 0 for kNone, which is what RocksDB stores then.
uint32_t ComputeChecksum(ChecksumType type, absl::string_view bytes);

// From format_version 6 on, what is added to the checksum of the block or
// footer at `offset`, so that a block found at another place or in another file
// fails. `base` is the footer's base context checksum; 0 means no such thing.
uint32_t ChecksumContext(uint32_t base, uint64_t offset);

}  // namespace linebloom
