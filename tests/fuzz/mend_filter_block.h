// Mends parts of a filter block, so that a fuzzer gets past the checks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom::testing {

// The parts to mend; docs/format.md describes the fields. All of them together
// make a block readable if its size is that of whole lines plus 50 bytes of
// metadata.
inline constexpr uint8_t kMendTail = 1;
inline constexpr uint8_t kMendMetadataSize = 2;
inline constexpr uint8_t kMendVersion = 4;  // and the reserved bytes
inline constexpr uint8_t kMendLines = 8;
inline constexpr uint8_t kMendChecksum = 16;
inline constexpr uint8_t kMendAll = 31;

// Leaves alone what doesn't fit the block.
void MendFilterBlock(uint8_t mends, char* block, size_t size);

}  // namespace linebloom::testing
