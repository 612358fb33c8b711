// The pieces that an SSTable's structures consist of (docs/sstable.md):
// varints, positions of blocks, checksums, the errors for damage, and the
// footer, which leads to everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "table/random_access.h"

namespace linebloom {

// Varints: 7 bits per byte, lowest first, with the high bit set in all bytes
// but the last. Abseil has no public reader for them.

// Consumes a varint of up to 64 bits from the front of `input`. If the input
// ends early or the value needs more bits, returns false and changes neither
// argument.
inline bool ConsumeVarint64(absl::string_view* input, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < input->size(); ++i) {
    const auto byte = static_cast<unsigned char>((*input)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      input->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

// The same for up to 32 bits.
inline bool ConsumeVarint32(absl::string_view* input, uint32_t* value) {
  absl::string_view rest = *input;
  uint64_t wide = 0;
  if (!ConsumeVarint64(&rest, &wide) || wide > UINT32_MAX) return false;
  *input = rest;
  *value = static_cast<uint32_t>(wide);
  return true;
}

// Signed numbers are stored as varints with the sign in the lowest bit.
inline bool ConsumeSignedVarint64(absl::string_view* input, int64_t* value) {
  uint64_t zigzag = 0;
  if (!ConsumeVarint64(input, &zigzag)) return false;
  *value = static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
  return true;
}

// Each block is followed by one byte for its compression and 4 bytes of
// checksum, which the size in its handle doesn't include.
inline constexpr uint64_t kBlockTrailerSize = 5;

struct BlockHandle {
  uint64_t offset = 0;  // of the block's first byte in the file
  uint64_t size = 0;    // bytes of payload, without the trailer

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// True if payload and trailer end at or before byte `limit`. Safe for any field
// values.
inline bool EndsBefore(const BlockHandle& handle, uint64_t limit) {
  return handle.offset <= limit && handle.size <= limit - handle.offset &&
         kBlockTrailerSize <= limit - handle.offset - handle.size;
}

// Consumes a handle, two varints, from the front of `input`. If there is none,
// returns false and changes neither argument. The values are not checked.
bool ConsumeBlockHandle(absl::string_view* input, BlockHandle* handle);

// For messages, like "123 bytes at offset 456".
std::string ToString(const BlockHandle& handle);

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

// "FILE: offset N: WHAT", where `what` says what was expected there and what
// was found.
inline std::string At(absl::string_view file, uint64_t offset,
                      absl::string_view what) {
  return absl::StrCat(file, ": offset ", offset, ": ", what);
}

// For bytes that contradict themselves or their checksum.
inline absl::Status DamageError(absl::string_view file, uint64_t offset,
                                absl::string_view what) {
  return absl::DataLossError(At(file, offset, what));
}

// The newest known layout of footer and blocks.
inline constexpr uint32_t kNewestFormatVersion = 7;

struct Footer {
  uint32_t format_version = 0;  // 0 to kNewestFormatVersion
  ChecksumType checksum_type = ChecksumType::kNone;
  uint32_t base_context_checksum = 0;  // 0 before format_version 6
  BlockHandle metaindex;               // ends before the footer
  uint64_t offset = 0;                 // of the footer's first byte
};

// Reads and checks the footer of `file`. InvalidArgument if it is not a
// block-based SSTable, Unimplemented if it is newer than this reader, DataLoss
// if it is damaged, and the errors of reading.
absl::StatusOr<Footer> ReadFooter(const RandomAccess& file);

}  // namespace linebloom
