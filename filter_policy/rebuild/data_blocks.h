// Checks that a file can be rewritten.
#pragma once

#include <string>

#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

// Reads the file at `path` once and checks all blocks that a compaction would
// read. `options` are those of its column family. If `filter_block_is_damaged`,
// the filter is skipped, which takes longer because RocksDB's own check covers
// either all blocks or none. Returns Corruption if a block is damaged.
rocksdb::Status CheckDataBlocks(const rocksdb::Options& options,
                                const std::string& path,
                                bool filter_block_is_damaged);

}  // namespace linebloom
