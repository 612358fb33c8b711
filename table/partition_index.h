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

// Iterates over the partitions in key order. RocksDB probes the first partition
// whose key is not less than the key it looks up, and the last partition for
// keys beyond them all.
//
// Not thread-safe. The block must outlive the iterator. Used like
// EntryIterator.
class PartitionIndex {
 public:
  // `block` is the index; `properties` are those of the same file.
  PartitionIndex(const Block* block, const Properties& properties);

  // Moves to the first or next partition. False at the end and after an error.
  bool Next();

  // The current partition's. The user key is valid until Next().
  absl::string_view user_key() const { return user_key_; }
  const BlockHandle& handle() const { return handle_; }

  // OK, or DataLoss saying what stopped Next(). Partitions follow one another
  // in the file; overlapping handles are damage, so all partitions together are
  // never larger than the file.
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
  uint64_t next_offset_ = 0;  // lowest valid offset of the next partition
  absl::Status status_;
};

}  // namespace linebloom
