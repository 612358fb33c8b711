// Walks the entries of an RocksDB block of keys and values: metaindex,
// properties, and the index over the partitions of a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block.h"

namespace linebloom {

// How an entry gives the length of its value.
enum class ValueLength {
  // As a varint before the key.
  kStored,
  // Not at all: the value is a block handle of two varints where the key stands
  // whole, and one varint where the key continues the one before.
  kOfBlockHandle,
};

// Not thread-safe. The block must outlive the iterator.
//
//   EntryIterator entry(&block, ValueLength::kStored);
//   while (entry.Next()) Use(entry.key(), entry.value());
//   if (!entry.status().ok()) ...
//
// One pass costs time and memory in proportion to the block, whatever its
// bytes are.
class EntryIterator {
 public:
  EntryIterator(const Block* block, ValueLength value_length);

  // Moves to the first or the next entry. False at the end and after an error.
  bool Next();

  // Of the current entry; valid until Next.
  absl::string_view key() const { return key_; }
  absl::string_view value() const { return value_; }
  size_t value_offset() const { return value_offset_; }  // in the payload

  // Whether the key continues the one before, by which some values are stored
  // as a difference.
  bool continues_key() const { return shared_ > 0; }

  // OK, or DataLoss with what stopped Next. A block that is damaged before its
  // first entry shows here too.
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
