// An SSTable opened to read its filter: footer, properties, and where the
// filter is. The file is not trusted: for any bytes, each function returns in
// time and memory bounded by the file's size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  // Data blocks as stored, and the index over them; of a partitioned one, the
  // sum of all partitions and their index.
  uint64_t num_data_blocks = 0;
  uint64_t data_size = 0;
  uint64_t index_size = 0;

  // Keys and values before compression.
  uint64_t raw_key_size = 0;
  uint64_t raw_value_size = 0;
  std::string compression_name;

  // The level that the file was written for, which it may have left, if RocksDB
  // says so, as 11.12 does, and not of files from outside a database.
  std::optional<int> level_at_creation;

  // FilterPolicy::Name(). The metaindex has the CompatibilityName() instead.
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

struct FilterLocation {
  FilterKind kind = FilterKind::kNone;

  // The CompatibilityName() of the policy that wrote the filter, which RocksDB
  // looks it up by; empty for kNone.
  std::string compatibility_name;

  // The blocks with filter bits, in key order: one for kFull and
  // kObsoleteBlockBased, any number for kPartitioned, none for kNone. They are
  // inside the file and don't overlap.
  std::vector<BlockHandle> blocks;

  // For kPartitioned, the index that maps keys to partitions.
  BlockHandle index;

  // Bytes of the filter including its index, without trailers, as the property
  // rocksdb.filter.size counts them.
  uint64_t TotalSize() const;
};

// True if RocksDB's built-in policies use filters of this CompatibilityName():
// `rocksdb.BuiltinBloomFilter`, which is linebloom's too, and the names that
// RocksDB 7.0 wrote by mistake for a while.
bool IsBuiltInName(absl::string_view compatibility_name);

// Immutable; may be used by many threads. Errors are those of ReadFooter and of
// the file system; each names the file and, if possible, the offset and what is
// wrong there.
class SstFile {
 public:
  // Opens the file at `path` read-only. Reads no filter bits. InvalidArgument
  // for a file without properties, as LevelDB writes them.
  static absl::StatusOr<SstFile> Open(const std::string& path);

  // The same in a database's own file system: files in memory or stored
  // encrypted look as they do to the database.
  static absl::StatusOr<SstFile> Open(const std::string& path,
                                      rocksdb::FileSystem* file_system);

  // The same for any bytes.
  static absl::StatusOr<SstFile> Open(std::unique_ptr<RandomAccess> bytes);

  const std::string& name() const { return bytes_->name(); }
  uint64_t size() const { return bytes_->size(); }  // bytes
  const Footer& footer() const { return footer_; }
  const Properties& properties() const { return properties_; }
  const FilterLocation& filter() const { return filter_; }

  // Reads one of the filter's blocks and checks its checksum.
  absl::StatusOr<Block> ReadFilterBlock(const BlockHandle& handle) const;

  // Reads the key of each partition, from the index over them; none unless the
  // filter is partitioned. RocksDB probes the first partition whose key is not
  // less than the one it looks up, or else the last. In a hostile file keys
  // may share their bytes, and then take more memory than the file's size.
  absl::StatusOr<std::vector<std::string>> ReadPartitionKeys() const;

 private:
  explicit SstFile(std::unique_ptr<RandomAccess> bytes)
      : bytes_(std::move(bytes)) {}

  std::unique_ptr<RandomAccess> bytes_;
  Footer footer_;
  Properties properties_;
  FilterLocation filter_;
};

}  // namespace linebloom
