// Ribbon filters of a given size.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"

namespace linebloom::tools {

// RocksDB asks for a Ribbon filter by the bits per key of a Bloom filter that
// would be as good, and the filter then takes about 0.7 times that. Returns
// what to ask for so that the filter of a file of `keys` keys takes as many
// bytes as a Bloom filter of `bits_per_key`, by building some in memory.
absl::StatusOr<double> RibbonBitsForMemory(double bits_per_key, uint64_t keys);

}  // namespace linebloom::tools
