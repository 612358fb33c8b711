#include "table/block.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/line/little_endian.h"
#include "table/format.h"
#include "table/status.h"

namespace linebloom {
namespace {

// RocksDB stores block sizes in 32 bits. The limit keeps a small file with a
// large hole from exhausting memory.
constexpr uint64_t kMaxBlockSize = UINT32_MAX;

// RocksDB 11 may set this bit in the number of restart points if an index's
// keys are spread evenly. Other high bits occur only in data blocks.
constexpr uint32_t kUniformKeysBit = uint32_t{1} << 29;

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
  ASSIGN_OR_RETURN(std::string stored, ReadStored(file, footer, handle, what));
  return CheckStored(file, footer, handle, what, std::move(stored));
}

EntryIterator::EntryIterator(const Block* block, ValueLength value_length)
    : block_(block), value_length_(value_length) {
  // The payload ends with the offsets of the restart points and their number, 4
  // bytes each. They are for seeking, so iterating doesn't need them.
  const absl::string_view payload = block->payload;
  if (payload.size() < 4) {
    status_ = block->Damage(
        0, absl::StrCat("expected at least 4 bytes, found ", payload.size()));
    return;
  }
  const size_t count_at = payload.size() - 4;
  const uint32_t restarts =
      LoadLittleEndian<uint32_t>(payload.data() + count_at) & ~kUniformKeysBit;
  if (restarts > count_at / 4) {
    status_ = block->Damage(
        count_at,
        absl::StrCat("expected a number of restart points that fits in ",
                     payload.size(), " bytes, found ", restarts));
    return;
  }
  entries_ = payload.substr(0, count_at - size_t{4} * restarts);
}

bool EntryIterator::Fail(absl::string_view expected) {
  status_ = block_->Damage(position_, absl::StrCat("expected ", expected));
  entries_ = {};
  position_ = 0;
  return false;
}

bool EntryIterator::NextLengths(absl::string_view* input, uint32_t* unshared) {
  if (!ConsumeVarint32(input, &shared_) || !ConsumeVarint32(input, unshared)) {
    return Fail("the lengths of a key, two varints");
  }
  if (shared_ > key_.size()) {
    return Fail(absl::StrCat("a key that shares at most the ", key_.size(),
                             " bytes of the one before, found ", shared_));
  }
  if (value_length_ == ValueLength::kStored &&
      !ConsumeVarint32(input, &stored_value_length_)) {
    return Fail("the length of a value, a varint");
  }
  return true;
}

// `input` starts with the value.
bool EntryIterator::NextValue(absl::string_view input) {
  size_t length = stored_value_length_;
  if (value_length_ == ValueLength::kOfBlockHandle) {
    absl::string_view rest = input;
    uint64_t ignored = 0;
    for (int varints = continues_key() ? 1 : 2; varints > 0; --varints) {
      if (!ConsumeVarint64(&rest, &ignored)) {
        return Fail("an entry whose value is a block handle");
      }
    }
    length = input.size() - rest.size();
  }
  if (length > input.size()) {
    return Fail(absl::StrCat("an entry with a value of ", length,
                             " bytes, but ", input.size(), " are left"));
  }
  value_ = input.substr(0, length);
  value_offset_ = entries_.size() - input.size();
  position_ = value_offset_ + length;
  return true;
}

bool EntryIterator::Next() {
  if (position_ >= entries_.size()) return false;
  absl::string_view input = entries_.substr(position_);
  uint32_t unshared = 0;
  if (!NextLengths(&input, &unshared)) return false;
  if (unshared > input.size()) {
    return Fail(absl::StrCat("an entry with ", unshared, " bytes of key, but ",
                             input.size(), " are left"));
  }
  key_.resize(shared_);
  key_.append(input.data(), unshared);
  return NextValue(input.substr(unshared));
}

}  // namespace linebloom
