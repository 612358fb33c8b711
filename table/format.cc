#include "table/format.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <utility>

#ifndef __clang_analyzer__  // it assumes a null pointer that xxHash checks for
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "absl/strings/str_format.h"
#include "filter_policy/line/little_endian.h"
#include "table/status.h"

namespace linebloom {
namespace {

constexpr uint64_t kMagic = 0x88e241b785f4cff7;
constexpr size_t kMagicSize = 8;
constexpr size_t kHandlesSize = 40;  // padded; version 6 has other fields
constexpr size_t kVersionAt = 1 + kHandlesSize;
constexpr size_t kFooterSize = kVersionAt + 4 + kMagicSize;

// Offsets in the footer of format_version 6 to 8. Its first bytes can't be
// handles of an older version, because one handle would have size 0.
constexpr absl::string_view kExtendedMagic("\x3e\x00\x7a\x00", 4);
constexpr size_t kExtendedMagicAt = 1;
constexpr size_t kChecksumAt = 5;
constexpr size_t kBaseContextAt = 9;
constexpr size_t kMetaindexSizeAt = 13;
constexpr size_t kReservedAt =
    33;  // 8 bytes; the 16 before may contain anything

// Names files that end like SSTables but are not block-based ones.
absl::string_view OtherKindOfTable(uint64_t magic) {
  switch (magic) {
    case 0x8242229663bf9564:
    case 0x4f3418eb7a8f13b8:
      return "a plain table, which has no filter block";
    case 0x926789d0c5f17873:
      return "a cuckoo table, which has no filter block";
    case 0xdb4775248b80fb57:
      return "a table of format_version 0, as LevelDB's, which can't be read";
    default:
      return "not an SSTable, or one that was cut short";
  }
}

// Consumes a handle, two varints, from the front of `input`. If there is none,
// returns false and changes neither argument. The values are not checked.
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

// `handles` are the 40 bytes in a footer up to format_version 5. The index has
// nothing to do with filters, but RocksDB allocates the size in its handle.
absl::Status ParseHandles(const RandomAccess& file, absl::string_view handles,
                          Footer* footer) {
  BlockHandle index;
  if (!ConsumeBlockHandle(&handles, &footer->metaindex) ||
      !ConsumeBlockHandle(&handles, &index)) {
    return DamageError(file.name(), footer->offset, "footer: damaged handles");
  }
  RETURN_IF_ERROR(CheckHandle(file, *footer, footer->metaindex, "metaindex"));
  return CheckHandle(file, *footer, index, "index");
}

bool HasRightChecksum(absl::string_view bytes, const Footer& footer) {
  std::string summed(bytes);
  std::fill_n(summed.begin() + kChecksumAt, 4, '\0');
  return LoadLittleEndian<uint32_t>(bytes.data() + kChecksumAt) ==
         ComputeChecksum(footer.checksum_type, summed) +
             ChecksumContext(footer.base_context_checksum, footer.offset);
}

// `bytes` is a complete footer of format_version 6 to 8.
absl::Status ParseExtended(const RandomAccess& file, absl::string_view bytes,
                           Footer* footer) {
  footer->base_context_checksum =
      LoadLittleEndian<uint32_t>(bytes.data() + kBaseContextAt);
  if (bytes.substr(kExtendedMagicAt, kExtendedMagic.size()) != kExtendedMagic ||
      footer->base_context_checksum == 0) {
    return DamageError(file.name(), footer->offset,
                       "footer: lacks what format_version 6 added");
  }
  if (!HasRightChecksum(bytes, *footer)) {
    return DamageError(file.name(), footer->offset, "footer: wrong checksum");
  }
  if (LoadLittleEndian<uint64_t>(bytes.data() + kReservedAt) != 0) {
    return absl::UnimplementedError(
        At(file.name(), footer->offset + kReservedAt,
           "footer: the file uses a feature that is newer than this reader"));
  }
  const uint64_t field =
      LoadLittleEndian<uint32_t>(bytes.data() + kMetaindexSizeAt);
  const bool has_gap = footer->format_version >= 8;
  const uint64_t size = has_gap ? field & 0xffff : field;
  const uint64_t gap = has_gap ? field >> 16 : 0;  // before the footer
  if (size + kBlockTrailerSize + gap > footer->offset) {
    return DamageError(file.name(), footer->offset + kMetaindexSizeAt,
                       "footer: the metaindex is larger than the file");
  }
  footer->metaindex = {footer->offset - gap - kBlockTrailerSize - size, size};
  return absl::OkStatus();
}

// CRC32c comes from ISA-L, which Debian packages and which selects the CPU's
// instructions at run time. Rejected: Abseil, which has it only since 20230125;
// google/crc32c, which isn't packaged; Boost.CRC, which works byte by byte.
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
  const auto last = static_cast<unsigned char>(bytes.back());
  return static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size() - 1)) ^
         (last * 0x6b9083d9U);
}

// RocksDB stores block sizes in 32 bits. The limit keeps a small file with a
// large hole from exhausting memory.
constexpr uint64_t kMaxBlockSize = UINT32_MAX;

// RocksDB 11 may set this bit in the number of restart points if an index's
// keys are spread evenly. Other high bits occur only in data blocks.
constexpr uint32_t kUniformKeysBit = uint32_t{1} << 29;

}  // namespace

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

absl::StatusOr<Footer> ReadFooter(const RandomAccess& file) {
  if (file.size() < kFooterSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.name(), ": not an SSTable: it has ", file.size(), " bytes"));
  }
  Footer footer;
  footer.offset = file.size() - kFooterSize;
  ASSIGN_OR_RETURN(const std::string bytes,
                   file.Read(footer.offset, kFooterSize));
  const size_t magic_at = kFooterSize - kMagicSize;
  const uint64_t magic = LoadLittleEndian<uint64_t>(bytes.data() + magic_at);
  if (magic != kMagic) {
    return absl::InvalidArgumentError(
        At(file.name(), footer.offset + magic_at, OtherKindOfTable(magic)));
  }
  footer.format_version = LoadLittleEndian<uint32_t>(bytes.data() + kVersionAt);
  if (footer.format_version > kNewestFormatVersion) {
    return absl::UnimplementedError(
        At(file.name(), footer.offset + kVersionAt,
           absl::StrCat("footer: format_version ", footer.format_version,
                        " is newer than this reader")));
  }
  const auto type = static_cast<uint8_t>(bytes[0]);
  if (footer.format_version == 0 ||
      type > static_cast<uint8_t>(ChecksumType::kXxh3)) {
    return DamageError(file.name(), footer.offset,
                       "footer: damaged format_version or type of checksum");
  }
  footer.checksum_type = static_cast<ChecksumType>(type);
  RETURN_IF_ERROR(
      footer.format_version >= 6
          ? ParseExtended(file, bytes, &footer)
          : ParseHandles(file, absl::string_view(bytes).substr(1, kHandlesSize),
                         &footer));
  return footer;
}

absl::Status Block::Damage(uint64_t offset_in_payload,
                           absl::string_view message) const {
  return DamageError(file, offset + offset_in_payload,
                     absl::StrCat(what, ": ", message));
}

absl::Status CheckHandle(const RandomAccess& file, const Footer& footer,
                         const BlockHandle& handle, absl::string_view what) {
  if (EndsBefore(handle, footer.offset) && handle.size <= kMaxBlockSize) {
    return absl::OkStatus();
  }
  return DamageError(
      file.name(), handle.offset,
      absl::StrCat(what, ": no block of ", handle.size, " bytes fits here"));
}

absl::StatusOr<std::string> ReadStored(const RandomAccess& file,
                                       const Footer& footer,
                                       const BlockHandle& handle,
                                       absl::string_view what) {
  RETURN_IF_ERROR(CheckHandle(file, footer, handle, what));
  return file.Read(handle.offset, handle.size + kBlockTrailerSize);
}

absl::StatusOr<Block> CheckStored(const RandomAccess& file,
                                  const Footer& footer,
                                  const BlockHandle& handle,
                                  absl::string_view what, std::string stored) {
  const auto size = static_cast<size_t>(handle.size);
  const uint32_t checksum =
      ComputeChecksum(footer.checksum_type,
                      absl::string_view(stored).substr(0, size + 1)) +
      ChecksumContext(footer.base_context_checksum, handle.offset);
  const bool is_compressed = stored[size] != 0;
  const bool is_sound =
      LoadLittleEndian<uint32_t>(stored.data() + size + 1) == checksum;
  stored.resize(size);
  Block block{std::move(stored), handle.offset, absl::StrCat(what),
              file.name()};
  if (!is_sound) return block.Damage(size + 1, "wrong checksum");
  if (is_compressed) return block.Damage(size, "compressed");
  return block;
}

absl::StatusOr<Block> ReadBlock(const RandomAccess& file, const Footer& footer,
                                const BlockHandle& handle,
                                absl::string_view what) {
  ASSIGN_OR_RETURN(std::string stored, ReadStored(file, footer, handle, what));
  return CheckStored(file, footer, handle, what, std::move(stored));
}

EntryIterator::EntryIterator(const Block* block, ValueForm form)
    : block_(block), form_(form) {
  // The payload ends with the offsets of the restart points and their number, 4
  // bytes each. They are for seeking, so iterating needs only the first: what
  // is before it is a prefix of all keys (format_version 8).
  const absl::string_view payload = block->payload;
  status_ = block->Damage(0, "damaged restart points");  // until they are read
  if (payload.size() < 4) return;
  const size_t count_at = payload.size() - 4;
  const uint32_t restarts =
      LoadLittleEndian<uint32_t>(payload.data() + count_at) & ~kUniformKeysBit;
  if (restarts > count_at / 4) return;
  const size_t restarts_at = count_at - size_t{4} * restarts;
  if (restarts > 0) {
    prefix_size_ = LoadLittleEndian<uint32_t>(payload.data() + restarts_at);
  }
  if (prefix_size_ > 0 && prefix_size_ >= restarts_at) return;
  status_ = absl::OkStatus();
  entries_ = payload.substr(0, restarts_at);
  position_ = prefix_size_;
  key_.assign(payload.data(), prefix_size_);
}

bool EntryIterator::NextLengths(absl::string_view* input, uint32_t* unshared) {
  return ConsumeVarint32(input, &shared_) && ConsumeVarint32(input, unshared) &&
         // Sharing less than the prefix would take time to restore it.
         shared_ <= key_.size() && (shared_ == 0 || shared_ >= prefix_size_) &&
         (form_ != ValueForm::kAnyBytes ||
          ConsumeVarint32(input, &stored_value_length_)) &&
         *unshared <= input->size();
}

// `input` starts with the value.
bool EntryIterator::NextValue(absl::string_view input) {
  size_t length = stored_value_length_;
  if (form_ != ValueForm::kAnyBytes) {
    absl::string_view rest = input;
    BlockHandle ignored;
    if (!ConsumeHandle(&rest, &ignored)) return false;
    length = input.size() - rest.size();
  }
  if (length > input.size()) return false;
  value_ = input.substr(0, length);
  value_offset_ = entries_.size() - input.size();
  position_ = value_offset_ + length;
  return true;
}

bool EntryIterator::Next() {
  if (position_ >= entries_.size()) return false;
  absl::string_view input = entries_.substr(position_);
  uint32_t unshared = 0;
  if (NextLengths(&input, &unshared)) {
    key_.resize(shared_ > 0 ? shared_ : prefix_size_);
    key_.append(input.data(), unshared);
    if (NextValue(input.substr(unshared))) return true;
  }
  status_ = block_->Damage(position_, "a damaged entry");
  entries_ = {};
  position_ = 0;
  return false;
}

bool EntryIterator::NextHandle(BlockHandle* handle) const {
  absl::string_view input = value_;
  return ConsumeHandle(&input, handle);
}

bool EntryIterator::ConsumeHandle(absl::string_view* input,
                                  BlockHandle* handle) const {
  if (form_ == ValueForm::kAnyBytes || shared_ == 0) {
    return ConsumeBlockHandle(input, handle);
  }
  uint64_t zigzag = 0;  // the sign is in the lowest bit
  if (!ConsumeVarint64(input, &zigzag)) return false;
  if (form_ == ValueForm::kHandleOrGap && zigzag-- == 0) {
    return ConsumeBlockHandle(input, handle);
  }
  handle->offset += handle->size + kBlockTrailerSize;
  handle->size += (zigzag >> 1) ^ (~(zigzag & 1) + 1);
  return true;
}

}  // namespace linebloom
