// RocksDB's Ribbon filters of a given size or rate. A Ribbon filter is
// requested by the bits per key of a Bloom filter of the same rate and takes
// about 0.7 times as much; what to request is found by building filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace linebloom::tools {

// Test filters have `keys` keys, but no more than this. A filter of a million
// keys takes about 1 % more bits per key, one of five million 2 %.
inline constexpr uint64_t kMaxRibbonKeys = 50'000;

// The block of a Ribbon filter requested with `bloom_bits` per key. For few
// keys RocksDB builds a Bloom filter instead.
std::string BuildRibbonBlock(double bloom_bits, uint64_t keys);

// The most to request for a filter of no more than `bits_per_key`, or than a
// Bloom filter of `bloom_bits`, rounded up to whole lines.
double RibbonBitsForMemory(double bits_per_key, uint64_t keys);
double RibbonBitsAsBloom(double bloom_bits, uint64_t keys);

// The least to request so that the filter's false-positive rate is at most
// `rate`. Nothing if no Ribbon filter reaches it.
std::optional<double> RibbonBitsForRate(double rate, uint64_t keys);

}  // namespace linebloom::tools
