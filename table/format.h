// The pieces that an SSTable's structures consist of (docs/format.md):
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

// Each block is followed by one byte for its compression and 4 bytes of
// checksum, which the size in its handle doesn't include.
inline constexpr uint64_t kBlockTrailerSize = 5;

// The sequence number and type after the user key in RocksDB's internal keys.
inline constexpr size_t kInternalKeySuffix = 8;

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

// The values are those stored in the footer.
enum class ChecksumType : uint8_t {
  kNone = 0,
  kCrc32c = 1,  // masked as in LevelDB
  kXxHash32 = 2,
  kXxHash64 = 3,  // its low 32 bits
  kXxh3 = 4,      // low 32 bits, combined with a product of the last byte
};

// The checksum of a block's payload and the type byte after it, or of a footer.
// XXH3 treats the last byte separately, so the view must end where the summed
// bytes end. 0 for kNone, as RocksDB stores it.
uint32_t ComputeChecksum(ChecksumType type, absl::string_view bytes);

// Since format_version 6 this is added to the checksum of the block or footer
// at `offset`, so that a block moved within a file or to another file fails.
// `base` is the footer's base context checksum; 0 adds nothing.
uint32_t ChecksumContext(uint32_t base, uint64_t offset);

// "FILE: offset N: WHAT".
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
inline constexpr uint32_t kNewestFormatVersion = 8;

struct Footer {
  uint32_t format_version = 0;  // 1 to kNewestFormatVersion
  ChecksumType checksum_type = ChecksumType::kNone;
  uint32_t base_context_checksum = 0;  // 0 before format_version 6
  BlockHandle metaindex;               // ends before the footer
  uint64_t offset = 0;                 // of the footer's first byte
};

// Reads and checks the footer of `file`. InvalidArgument if it is not a
// block-based SSTable, Unimplemented if it is newer than this reader, DataLoss
// if it is damaged, and the errors of reading.
absl::StatusOr<Footer> ReadFooter(const RandomAccess& file);

// A block as stored is a payload, a compression type and a checksum. The blocks
// that describe the file (metaindex, properties, filters and their index) are
// never compressed.

// A payload, with its origin for messages.
struct Block {
  std::string payload;
  uint64_t offset = 0;  // of the payload in the file
  std::string what;     // "metaindex"
  std::string file;

  // DataLoss, naming the file, the offset in it and the block.
  absl::Status Damage(uint64_t offset_in_payload,
                      absl::string_view message) const;
};

// DataLoss unless the block at `handle`, which `what` names in messages, ends
// before the footer and has a size that RocksDB can store.
absl::Status CheckHandle(const RandomAccess& file, const Footer& footer,
                         const BlockHandle& handle, absl::string_view what);

// Reads the block at `handle`. DataLoss unless it ends before the footer, which
// is checked before memory is allocated, is not compressed and has the right
// checksum. `what` names it in messages.
absl::StatusOr<Block> ReadBlock(const RandomAccess& file, const Footer& footer,
                                const BlockHandle& handle,
                                absl::string_view what);

// The steps of ReadBlock, for callers that need to do something in between.

// Returns payload and trailer of the block at `handle`.
absl::StatusOr<std::string> ReadStored(const RandomAccess& file,
                                       const Footer& footer,
                                       const BlockHandle& handle,
                                       absl::string_view what);

// Checks the trailer at the end of `stored`, which ReadStored returned, and
// removes it.
absl::StatusOr<Block> CheckStored(const RandomAccess& file,
                                  const Footer& footer,
                                  const BlockHandle& handle,
                                  absl::string_view what, std::string stored);

// Entries of a block of keys and values: metaindex, properties, and the index
// over the partitions of a filter.

// How an entry stores its value.
enum class ValueForm {
  // With its length, a varint before the key.
  kAnyBytes,
  // The value is a block handle without a length. If the key shares bytes with
  // the one before, it is the difference between the sizes of their blocks.
  kHandle,
  // The same, but the difference plus 1, and after a 0 the whole handle: since
  // format_version 8.
  kHandleOrGap,
};

// Not thread-safe. The block must outlive the iterator.
//
//   EntryIterator entry(&block, ValueForm::kAnyBytes);
//   while (entry.Next()) Use(entry.key(), entry.value());
//   if (!entry.status().ok()) ...
//
// One pass takes time and memory proportional to the block, whatever its bytes.
class EntryIterator {
 public:
  EntryIterator(const Block* block, ValueForm form);

  // Moves to the first or next entry. False at the end and after an error.
  bool Next();

  // The current entry's, valid until Next().
  absl::string_view key() const { return key_; }
  absl::string_view value() const { return value_; }
  size_t value_offset() const { return value_offset_; }  // in the payload

  // Changes `handle`, the previous entry's, to the one that value() starts
  // with. False if it starts with none. The values are not checked, and wrap
  // around for sizes that no file has.
  bool NextHandle(BlockHandle* handle) const;

  // OK, or DataLoss saying what stopped Next(). Also reports damage before the
  // first entry.
  const absl::Status& status() const { return status_; }

 private:
  bool NextLengths(absl::string_view* input, uint32_t* unshared);
  bool NextValue(absl::string_view input);
  bool ConsumeHandle(absl::string_view* input, BlockHandle* handle) const;

  const Block* block_;
  ValueForm form_;
  absl::string_view entries_;  // without the restart points
  size_t position_ = 0;        // of the next entry
  size_t prefix_size_ = 0;     // of what all keys begin with
  uint32_t shared_ = 0;        // 0: only the prefix
  uint32_t stored_value_length_ = 0;
  std::string key_;
  absl::string_view value_;
  size_t value_offset_ = 0;
  absl::Status status_;
};

}  // namespace linebloom
