#include "table/block.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/line/little_endian.h"
#include "table/checksum.h"
#include "table/damage.h"

namespace linebloom {
namespace {

// RocksDB stores block sizes in 32 bits. The limit keeps a small file with a
// large hole from exhausting memory.
constexpr uint64_t kMaxBlockSize = UINT32_MAX;

}  // namespace

absl::Status Block::Damage(uint64_t offset_in_payload,
                           absl::string_view message) const {
  return DamageError(file, offset + offset_in_payload,
                     absl::StrCat(what, ": ", message));
}

absl::StatusOr<std::string> ReadStored(const RandomAccess& file,
                                       const Footer& footer,
                                       const BlockHandle& handle,
                                       absl::string_view what) {
  if (!EndsBefore(handle, footer.offset)) {
    return DamageError(
        file.name(), handle.offset,
        absl::StrCat(what, ": expected a block that ends before the footer at ",
                     "offset ", footer.offset, ", found ", ToString(handle)));
  }
  if (handle.size > kMaxBlockSize) {
    return DamageError(
        file.name(), handle.offset,
        absl::StrCat(what, ": expected a block of at most ", kMaxBlockSize,
                     " bytes, found ", ToString(handle)));
  }
  return file.Read(handle.offset, handle.size + kBlockTrailerSize);
}

absl::StatusOr<Block> CheckStored(const RandomAccess& file,
                                  const Footer& footer,
                                  const BlockHandle& handle,
                                  absl::string_view what, std::string stored) {
  const auto size = static_cast<size_t>(handle.size);
  const absl::string_view summed =
      absl::string_view(stored).substr(0, size + 1);
  const uint32_t expected =
      ComputeChecksum(footer.checksum_type, summed) +
      ChecksumContext(footer.base_context_checksum, handle.offset);
  const uint32_t found = LoadLittleEndian<uint32_t>(stored.data() + size + 1);
  if (found != expected) {
    return DamageError(
        file.name(), handle.offset + size + 1,
        absl::StrFormat("%s: expected %s %08x over %s, found %08x", what,
                        ChecksumName(footer.checksum_type), expected,
                        ToString(handle), found));
  }
  const auto compression = static_cast<unsigned char>(stored[size]);
  if (compression != 0) {
    return DamageError(
        file.name(), handle.offset + size,
        absl::StrCat(what, ": expected compression type 0 (none), found ",
                     "type ", compression));
  }
  stored.resize(size);
  return Block{std::move(stored), handle.offset, absl::StrCat(what),
               file.name()};
}

absl::StatusOr<Block> ReadBlock(const RandomAccess& file, const Footer& footer,
                                const BlockHandle& handle,
                                absl::string_view what) {
  absl::StatusOr<std::string> stored = ReadStored(file, footer, handle, what);
  if (!stored.ok()) return stored.status();
  return CheckStored(file, footer, handle, what, *std::move(stored));
}

}  // namespace linebloom
