// Sorting hashes, in place.
#pragma once

#include <cstdint>
#include <span>

namespace linebloom {

// Sorts ascending, so that the keys of a line stand together: LineOf is
// monotone in the hash. A radix sort from the top byte down, in place, because
// the hashes of a large file are the most memory that its filter's builder
// holds: std::sort takes several times as long, and a second array would double
// the memory.
void SortHashes(std::span<uint64_t> hashes);

}  // namespace linebloom
