// RocksDB's reader interface over a filter block of any origin.
#pragma once

#include <cstdint>
#include <memory>

#include "filter_policy/rocksdb/key_sampler.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// Never null. Blocks of RocksDB's policies are probed by `built_in`'s reader.
// Damaged, unknown and truncated blocks may match every key; with
// `canonical_key` (FilterBlockInfo) so may blocks without it. With `sampler`,
// the reader samples keys that it rejects.
std::unique_ptr<rocksdb::FilterBitsReader> NewFilterBitsReader(
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in,
    uint64_t canonical_key = 0,
    const std::shared_ptr<KeySampler>& sampler = nullptr);

// As NewFilterBitsReader() for CanonicalId() of the function, which is not
// null; makes keys canonical before it asks that reader.
std::unique_ptr<rocksdb::FilterBitsReader> NewCanonicalFilterBitsReader(
    std::shared_ptr<const CanonicalKey> canonical_key,
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in);

}  // namespace linebloom
