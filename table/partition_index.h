// The index over the partitions of a filter.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/block_handle.h"
#include "table/entry_iterator.h"
#include "table/properties.h"

namespace linebloom {

// Walks the partitions in the order of their keys. RocksDB asks the first
// partition whose key is not less than the one it looks for, and the last
// partition for keys beyond all of them.
//
// Not thread-safe; the block must outlive it. Used like EntryIterator.
class PartitionIndex {
 public:
  // `block` is the index, `properties` those of the same file.
  PartitionIndex(const Block* block, const Properties& properties);

  // False at the end and after an error.
  bool Next();

  // Of the current partition. The user key is valid until Next.
  absl::string_view user_key() const { return user_key_; }
  const BlockHandle& handle() const { return handle_; }

  // OK, or DataLoss with what stopped Next. Partitions lie behind one another
  // in the file: handles that overlap are damage, so all partitions together
  // are never larger than the file.
  const absl::Status& status() const { return status_; }

 private:
  bool Fail(const absl::Status& status);
  bool NextUserKey();
  bool NextHandle();
  bool NextSize(absl::string_view value);

  const Block* block_;
  bool key_is_user_key_;
  bool value_is_delta_encoded_;
  EntryIterator entry_;
  absl::string_view user_key_;
  BlockHandle handle_;
  uint64_t next_offset_ = 0;  // the first that the next partition may have
  absl::Status status_;
};

}  // namespace linebloom
