// RocksDB's Ribbon filters of a given size or rate.
//
// RocksDB asks for a Ribbon filter by the bits per key of a Bloom filter that
// would be as good, and the filter then takes about 0.7 times that. What to ask
// for is found by building some in memory.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace linebloom::tools {

// The filters that are built have `keys` keys, but no more than this. A filter
// of a million takes about 1 % more bits per key, one of five million 2 %.
inline constexpr uint64_t kMaxRibbonKeys = 50'000;

// The block of a Ribbon filter that is asked for by `bloom_bits` per key. For
// few keys RocksDB makes it a Bloom filter.
absl::StatusOr<std::string> BuildRibbonBlock(double bloom_bits, uint64_t keys);

// The most to ask for so that the filter takes no more than `bits_per_key`, or
// no more than a Bloom filter that is asked for by `bloom_bits`, which is
// rounded up to whole lines.
absl::StatusOr<double> RibbonBitsForMemory(double bits_per_key, uint64_t keys);
absl::StatusOr<double> RibbonBitsAsBloom(double bloom_bits, uint64_t keys);

// The least to ask for so that the filter has a false-positive rate of `rate`
// at most. OutOfRange where no Ribbon filter has.
absl::StatusOr<double> RibbonBitsForRate(double rate, uint64_t keys);

}  // namespace linebloom::tools
