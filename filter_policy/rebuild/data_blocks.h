// Whether a file can be rewritten at all.
#pragma once

#include <string>

#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

// Reads the file at `path` once, and checks all blocks that a compaction of it
// reads. `options` are those of its column family. With
// `filter_block_is_damaged` the filter is left out, which takes longer:
// RocksDB's own check takes all blocks or none. Corruption where a block is
// damaged.
rocksdb::Status CheckDataBlocks(const rocksdb::Options& options,
                                const std::string& path,
                                bool filter_block_is_damaged);

}  // namespace linebloom
