// The false-positive rate that filters should have by what they are.
#pragma once

#include <cstdint>
#include <optional>

#include "rocksdb/db.h"

namespace linebloom::tools {

// The rate that a lookup of a missing key should see per file that it probes:
// the mean over the sorted runs of `db`, and within a run over its files by
// their keys. Read from the filter blocks themselves. Nothing where a file has
// no filter or one of a kind unknown here.
std::optional<double> PredictedFalsePositiveRate(rocksdb::DB* db);

// RocksDB's blocked Bloom filter: `keys` spread by chance over `lines` of 512
// bits, each of which gets `probes` bits from every one of its keys.
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// RocksDB's Ribbon filter of `filter_bytes` over `blocks` blocks of 128 slots.
double RibbonRate(uint64_t filter_bytes, uint64_t blocks);

}  // namespace linebloom::tools
