#include "table/partition_index.h"

#include "absl/strings/str_cat.h"
#include "table/varint.h"

namespace linebloom {
namespace {

// RocksDB's internal keys end with a sequence number and a type.
constexpr size_t kInternalKeySuffix = 8;

}  // namespace

PartitionIndex::PartitionIndex(const Block* block, const Properties& properties)
    : block_(block),
      key_is_user_key_(properties.index_key_is_user_key),
      value_is_delta_encoded_(properties.index_value_is_delta_encoded),
      entry_(block, value_is_delta_encoded_ ? ValueLength::kOfBlockHandle
                                            : ValueLength::kStored) {
  // If no key was added to any partition, RocksDB writes an index of 0 bytes,
  // which is not a block of entries.
  if (!block->payload.empty()) status_ = entry_.status();
}

bool PartitionIndex::Fail(const absl::Status& status) {
  status_ = status;
  return false;
}

bool PartitionIndex::NextUserKey() {
  user_key_ = entry_.key();
  if (key_is_user_key_) return true;
  if (user_key_.size() < kInternalKeySuffix) {
    return Fail(block_->Damage(
        entry_.value_offset(),
        absl::StrCat("expected a preceding internal key of at least 8 "
                     "bytes, found ",
                     user_key_.size())));
  }
  user_key_.remove_suffix(kInternalKeySuffix);
  return true;
}

// A handle stored as a difference starts where the previous partition ends, and
// `value` is the difference between their sizes.
bool PartitionIndex::NextSize(absl::string_view value) {
  int64_t difference = 0;
  // The sum wraps around for sizes that no file has. NextHandle and the block
  // reader then reject the handle.
  if (!ConsumeSignedVarint64(&value, &difference)) {
    return Fail(block_->Damage(entry_.value_offset(),
                               "expected the difference of two sizes"));
  }
  handle_.offset = next_offset_;
  handle_.size += static_cast<uint64_t>(difference);
  return true;
}

bool PartitionIndex::NextHandle() {
  if (value_is_delta_encoded_ && entry_.continues_key()) {
    if (!NextSize(entry_.value())) return false;
  } else {
    absl::string_view value = entry_.value();
    if (!ConsumeBlockHandle(&value, &handle_)) {
      return Fail(block_->Damage(entry_.value_offset(),
                                 "expected a block handle, two varints"));
    }
  }
  // All partitions come before their index.
  if (handle_.offset < next_offset_ || !EndsBefore(handle_, block_->offset)) {
    return Fail(block_->Damage(
        entry_.value_offset(),
        absl::StrCat("expected a partition between the offsets ", next_offset_,
                     " and ", block_->offset, ", found ", ToString(handle_))));
  }
  next_offset_ = handle_.offset + handle_.size + kBlockTrailerSize;
  return true;
}

bool PartitionIndex::Next() {
  if (!status_.ok()) return false;
  if (!entry_.Next()) {
    if (!block_->payload.empty()) status_ = entry_.status();
    return false;
  }
  return NextUserKey() && NextHandle();
}

}  // namespace linebloom
