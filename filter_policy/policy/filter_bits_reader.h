// RocksDB's reader interface over a filter block of any origin.
#pragma once

#include <memory>

#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "filter_policy/tree/lookup_load.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// Never null. Blocks of lines, linebloom's and RocksDB's Bloom filters, are
// probed by our kernels, RocksDB's other blocks by `built_in`'s reader.
// Damaged, unknown and truncated blocks may match every key. With
// `canonical_key` the reader makes keys canonical, and blocks that don't name
// this function may match every key. Filters of lines count some of their
// answers in `sample`, unless it is null or has Statistics.
std::unique_ptr<rocksdb::FilterBitsReader> NewFilterBitsReader(
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in,
    const std::shared_ptr<const CanonicalKey>& canonical_key = nullptr,
    const std::shared_ptr<AnswerSample>& sample = nullptr);

}  // namespace linebloom
