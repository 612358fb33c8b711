// An SSTable opened to read its filter: footer, metaindex and, on demand,
// properties and filter blocks. The file is not trusted: for any bytes, each
// function returns in time and memory bounded by the file's size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/format.h"
#include "table/random_access.h"

namespace linebloom {

// Numbers missing from the file are 0 and texts empty, unless stated otherwise.
// Texts are also empty if RocksDB wrote "nullptr".
struct Properties {
  uint64_t num_entries = 0;  // of all kinds, including deletions
  uint64_t num_range_deletions = 0;
  // Keys and prefixes added to the filter, written since RocksDB 6.22.
  std::optional<uint64_t> num_filter_entries;

  // Bytes of the filter without trailers; of a partitioned one, the sum of all
  // partitions and their index.
  uint64_t filter_size = 0;

  // FilterPolicy::Name(). The metaindex has the family instead.
  std::string filter_policy_name;
  std::string prefix_extractor_name;
  std::string comparator_name;

  // True if the filter contains whole keys, and prefixes if there is an
  // extractor. Old files don't say; then both are true.
  bool whole_key_filtering = true;
  bool prefix_filtering = true;

  // How the index over a filter's partitions is encoded.
  bool index_key_is_user_key = false;
  bool index_value_is_delta_encoded = false;

  // The sequence number of all keys in a file written by SstFileWriter, 0
  // until the file is ingested.
  std::optional<uint64_t> global_sequence_number;
};

enum class FilterKind {
  kNone,
  kFull,         // one filter for the whole file
  kPartitioned,  // one per range of keys, plus an index over them
  // One per 2 KiB of data, before RocksDB 7.0. Newer versions ignore it.
  kObsoleteBlockBased,
};

// For example "full".
absl::string_view ToString(FilterKind kind);

// The block that maps names to meta blocks: its entries of the filter and the
// properties.
struct Metaindex {
  FilterKind filter_kind = FilterKind::kNone;
  // The CompatibilityName() of the policy that wrote the filter, which RocksDB
  // looks it up by.
  std::string filter_family;
  BlockHandle filter;  // for kPartitioned, the index over the partitions
  std::optional<BlockHandle> properties;
};

// Immutable; may be used by many threads. Errors are those of ReadFooter and of
// the operating system; each names the file and, if possible, the offset and
// what was expected there.
class SstFile {
 public:
  // Opens the file at `path` read-only.
  static absl::StatusOr<SstFile> Open(const std::string& path);

  // The same for any bytes.
  static absl::StatusOr<SstFile> Open(std::unique_ptr<RandomAccess> bytes);

  const std::string& name() const { return bytes_->name(); }
  uint64_t size() const { return bytes_->size(); }  // bytes
  const Footer& footer() const { return footer_; }
  const Metaindex& metaindex() const { return metaindex_; }

  // Reads the property block. All fields have their defaults if there is none,
  // as in LevelDB's files.
  absl::StatusOr<Properties> ReadProperties() const;

  // Reads an uncompressed block and checks its checksum. `what` names the block
  // in messages.
  absl::StatusOr<Block> ReadBlock(const BlockHandle& handle,
                                  absl::string_view what) const;

 private:
  SstFile(std::unique_ptr<RandomAccess> bytes, const Footer& footer,
          Metaindex metaindex);

  std::unique_ptr<RandomAccess> bytes_;
  Footer footer_;
  Metaindex metaindex_;
};

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

// The partitions in key order, used like EntryIterator. RocksDB probes the
// first whose key is not less than the one it looks up, or else the last.
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
