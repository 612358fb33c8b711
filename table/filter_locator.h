// Finds the filter of an SSTable: its kind, the policy that wrote it, and the
// positions of its blocks. Doesn't look into the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/format.h"
#include "table/properties.h"
#include "table/sst_file.h"

namespace linebloom {

struct FilterLocation {
  FilterKind kind = FilterKind::kNone;

  // The CompatibilityName() of the policy that wrote it; empty for kNone.
  std::string family;

  // The blocks with filter bits, in key order: one for kFull and
  // kObsoleteBlockBased, any number for kPartitioned, none for kNone. They are
  // inside the file and don't overlap. Read them with ReadFilterBlock().
  std::vector<BlockHandle> blocks;

  // For kPartitioned, the index that maps keys to partitions, to be iterated
  // with PartitionIndex. Otherwise its payload is empty.
  Block partition_index;

  // Bytes of the filter including its index, without trailers: RocksDB's
  // `filter_size`.
  uint64_t TotalSize() const;
};

// Reads no more than needed: nothing from the file for kNone and kFull, the
// properties and the index for kPartitioned, and never filter bits. Returns the
// errors of SstFile.
absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file);

// The same if the properties have already been read.
absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file,
                                            const Properties& properties);

// Reads one of the blocks and checks its checksum.
absl::StatusOr<Block> ReadFilterBlock(const SstFile& file,
                                      const BlockHandle& handle);

// True if RocksDB's built-in policies use filters of this family:
// `rocksdb.BuiltinBloomFilter`, which is linebloom's family too, and the names
// that RocksDB 7.0 wrote by mistake for a while.
bool IsBuiltinFilterFamily(absl::string_view family);

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
