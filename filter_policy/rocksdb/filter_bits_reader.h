// RocksDB's reader interface over a filter block of any origin.
#pragma once

#include <cstdint>
#include <memory>

#include "filter_policy/rocksdb/key_sampler.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"

namespace linebloom {

// Returns a new reader, never null. linebloom's blocks are probed directly, and
// blocks of RocksDB's built-in policies by `built_in`'s reader. Damaged,
// unknown and truncated blocks may match every key.
//
// With `canonical_key` (FilterBlockInfo), the reader will be asked for the
// bytes that it makes of keys. Blocks without it, RocksDB's among them, may
// then match every key.
//
// With `sampler`, the reader samples keys that it rejects.
std::unique_ptr<rocksdb::FilterBitsReader> NewFilterBitsReader(
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in,
    uint64_t canonical_key = 0,
    const std::shared_ptr<KeySampler>& sampler = nullptr);

}  // namespace linebloom
