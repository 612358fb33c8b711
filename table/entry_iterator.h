// Iterates over the entries of an RocksDB block of keys and values: metaindex,
// properties, and the index over the partitions of a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block.h"

namespace linebloom {

// How an entry stores the length of its value.
enum class ValueLength {
  // As a varint before the key.
  kStored,
  // Not at all: the value is a block handle, two varints if the key is stored
  // in full and one if it shares a prefix with the previous key.
  kOfBlockHandle,
};

// Not thread-safe. The block must outlive the iterator.
//
//   EntryIterator entry(&block, ValueLength::kStored);
//   while (entry.Next()) Use(entry.key(), entry.value());
//   if (!entry.status().ok()) ...
//
// One pass takes time and memory proportional to the block, whatever its bytes.
class EntryIterator {
 public:
  EntryIterator(const Block* block, ValueLength value_length);

  // Moves to the first or next entry. False at the end and after an error.
  bool Next();

  // The current entry's, valid until Next().
  absl::string_view key() const { return key_; }
  absl::string_view value() const { return value_; }
  size_t value_offset() const { return value_offset_; }  // in the payload

  // True if the key shares a prefix with the previous one. Some values are then
  // stored as differences.
  bool continues_key() const { return shared_ > 0; }

  // OK, or DataLoss saying what stopped Next(). Also reports damage before the
  // first entry.
  const absl::Status& status() const { return status_; }

 private:
  bool Fail(absl::string_view expected);
  bool NextLengths(absl::string_view* input, uint32_t* unshared);
  bool NextValue(absl::string_view input);

  const Block* block_;
  ValueLength value_length_;
  absl::string_view entries_;  // without the restart points
  size_t position_ = 0;        // of the next entry
  uint32_t shared_ = 0;
  uint32_t stored_value_length_ = 0;
  std::string key_;
  absl::string_view value_;
  size_t value_offset_ = 0;
  absl::Status status_;
};

}  // namespace linebloom
