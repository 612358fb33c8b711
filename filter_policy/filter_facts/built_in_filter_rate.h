// The expected rates of RocksDB's own filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace linebloom {

// The expected false-positive rate of a filter block with `keys` keys that one
// of RocksDB's policies wrote. Nothing for kinds whose rate has no simple form:
// the Bloom filter of format_version below 5, and unknown kinds.
std::optional<double> BuiltInFilterRate(const char* data, size_t size,
                                        uint64_t keys);

// A blocked Bloom filter: `keys` keys (more than 0) in `lines` lines of 512
// bits, with `probes` probes per key.
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// A Ribbon filter of `columns` columns, 16 bytes each, over `blocks` blocks of
// 128 slots. A missing key passes each column of its block with probability
// 1/2. Blocks differ by at most one column.
double RibbonRate(uint64_t columns, uint64_t blocks);

}  // namespace linebloom
