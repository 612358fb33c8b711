// A block of an SSTable as stored: payload, compression type, checksum. The
// blocks that describe the file (metaindex, properties, filters and their
// index) are never compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/format.h"
#include "table/random_access.h"

namespace linebloom {

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
