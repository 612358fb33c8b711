// RocksDB's reader interface over a filter block of any origin.
#pragma once

#include <memory>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"

namespace linebloom {

// Returns a new reader, never null. linebloom's blocks are probed directly, and
// blocks of RocksDB's built-in policies by `built_in`'s reader. Damaged,
// unknown and truncated blocks may match every key.
std::unique_ptr<rocksdb::FilterBitsReader> NewFilterBitsReader(
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in);

}  // namespace linebloom
