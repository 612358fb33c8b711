// Makes parts of a filter block right, so that a fuzzer gets behind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom::testing {

// What to mend; docs/format.md has the fields. All of them together make a
// block readable if its size is that of whole lines and metadata of 50 bytes.
inline constexpr uint8_t kMendTail = 1;
inline constexpr uint8_t kMendMetadataSize = 2;
inline constexpr uint8_t kMendVersion = 4;  // and the reserved bytes
inline constexpr uint8_t kMendLines = 8;
inline constexpr uint8_t kMendChecksum = 16;
inline constexpr uint8_t kMendAll = 31;

// What has no room in the block stays as it is.
void MendFilterBlock(uint8_t mends, char* block, size_t size);

}  // namespace linebloom::testing
