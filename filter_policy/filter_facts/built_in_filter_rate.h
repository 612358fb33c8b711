// The rates to expect of RocksDB's own filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace linebloom {

// The false-positive rate of a filter block that one of RocksDB's policies
// wrote, whose `keys` keys spread by chance. Nothing for kinds whose rate has
// no simple form: the Bloom filter of format_version below 5, and kinds that
// are not known.
std::optional<double> BuiltInFilterRate(const char* data, size_t size,
                                        uint64_t keys);

// A blocked Bloom filter: `keys` (more than 0) spread over `lines` of 512 bits,
// each of which gets `probes` bits from every one of its keys.
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// A Ribbon filter of `columns`, 16 bytes each, over `blocks` blocks of 128
// slots. A key matches by chance with one half for each of its block's columns;
// blocks differ by at most one column.
double RibbonRate(uint64_t columns, uint64_t blocks);

}  // namespace linebloom
