// Finds the filter of an SSTable: its kind, the policy that wrote it, and the
// positions of its blocks. Doesn't look into the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/block_handle.h"
#include "table/metaindex.h"
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

}  // namespace linebloom
