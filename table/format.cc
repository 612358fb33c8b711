#include "table/format.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstddef>

#ifndef __clang_analyzer__  // it assumes a null pointer that xxHash checks for
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "absl/strings/str_cat.h"

namespace linebloom {
namespace {

// CRC32c comes from ISA-L, which Debian 12 and 13 both package, which is
// maintained, and which selects the CPU's instructions at run time. Rejected:
// Abseil, which has CRC32c only since 20230125 (Debian 12 has 20220623);
// google/crc32c, which isn't packaged; zlib, which has another polynomial;
// Boost.CRC, which works byte by byte.
uint32_t Crc32c(absl::string_view bytes) {
  constexpr size_t kMaxChunk = size_t{1} << 30;  // ISA-L counts in int
  uint32_t crc = 0xffffffff;
  while (!bytes.empty()) {
    const absl::string_view chunk = bytes.substr(0, kMaxChunk);
    // ISA-L takes a non-const pointer but doesn't write.
    auto* data = reinterpret_cast<unsigned char*>(  // NOLINT
        const_cast<char*>(chunk.data()));
    crc = crc32_iscsi(data, static_cast<int>(chunk.size()), crc);
    bytes.remove_prefix(chunk.size());
  }
  return crc ^ 0xffffffff;
}

// The CRC of bytes followed by their own CRC is a constant; LevelDB's mask
// avoids that.
uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

uint32_t Xxh3WithLastByte(absl::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto last = static_cast<unsigned char>(bytes.back());
  return static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size() - 1)) ^
         (last * 0x6b9083d9U);
}

}  // namespace

bool IsKnownChecksumType(uint8_t type) { return type <= 4; }

absl::string_view ChecksumName(ChecksumType type) {
  switch (type) {
    case ChecksumType::kNone:
      return "no checksum";
    case ChecksumType::kCrc32c:
      return "CRC32c";
    case ChecksumType::kXxHash32:
      return "xxHash32";
    case ChecksumType::kXxHash64:
      return "XXH64";
    case ChecksumType::kXxh3:
      return "XXH3";
  }
  return "unknown";
}

uint32_t ComputeChecksum(ChecksumType type, absl::string_view bytes) {
  switch (type) {
    case ChecksumType::kNone:
      return 0;
    case ChecksumType::kCrc32c:
      return MaskCrc(Crc32c(bytes));
    case ChecksumType::kXxHash32:
      return XXH32(bytes.data(), bytes.size(), 0);
    case ChecksumType::kXxHash64:
      return static_cast<uint32_t>(XXH64(bytes.data(), bytes.size(), 0));
    case ChecksumType::kXxh3:
      return Xxh3WithLastByte(bytes);
  }
  return 0;
}

uint32_t ChecksumContext(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^ static_cast<uint32_t>(offset + (offset >> 32));
}

bool ConsumeBlockHandle(absl::string_view* input, BlockHandle* handle) {
  absl::string_view rest = *input;
  BlockHandle result;
  if (!ConsumeVarint64(&rest, &result.offset) ||
      !ConsumeVarint64(&rest, &result.size)) {
    return false;
  }
  *input = rest;
  *handle = result;
  return true;
}

std::string ToString(const BlockHandle& handle) {
  return absl::StrCat(handle.size, " bytes at offset ", handle.offset);
}

}  // namespace linebloom
