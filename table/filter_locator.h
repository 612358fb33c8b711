// Finds the filter of an SSTable: which kind it is, whose, and where its blocks
// are. What stands in them is another matter.
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

  // The `CompatibilityName()` of the policy that wrote it; empty for kNone.
  std::string family;

  // The blocks that hold filter bits, in the order of their keys: one for kFull
  // and kObsoleteBlockBased, any number for kPartitioned, none for kNone. They
  // lie inside the file and don't overlap. Read them with ReadFilterBlock.
  std::vector<BlockHandle> blocks;

  // For kPartitioned, the index that says which keys are in which partition;
  // walk it with PartitionIndex. Its payload is empty otherwise.
  Block partition_index;

  // All bytes of the filter, index included, without trailers: what RocksDB
  // calls `filter_size`.
  uint64_t TotalSize() const;
};

// Reads what is needed to know the above: nothing but memory for kNone and
// kFull, the properties and the partitions' index for kPartitioned. No filter
// bits are read. Errors are SstFile's.
absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file);

// The same where the properties are at hand.
absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file,
                                            const Properties& properties);

// Reads one of the blocks with its checksum checked.
absl::StatusOr<Block> ReadFilterBlock(const SstFile& file,
                                      const BlockHandle& handle);

// Whether RocksDB's built-in policies look for filters of this family:
// `rocksdb.BuiltinBloomFilter`, which linebloom has too, and the names that
// RocksDB 7.0 wrote for a while by mistake.
bool IsBuiltinFilterFamily(absl::string_view family);

}  // namespace linebloom
