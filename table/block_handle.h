// The position of a block in an SSTable.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace linebloom {

// Each block is followed by one byte for its compression and 4 bytes of
// checksum, which the size in its handle doesn't include.
inline constexpr uint64_t kBlockTrailerSize = 5;

struct BlockHandle {
  uint64_t offset = 0;  // of the block's first byte in the file
  uint64_t size = 0;    // bytes of payload, without the trailer

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// True if payload and trailer end at or before byte `limit`. Safe for any field
// values.
inline bool EndsBefore(const BlockHandle& handle, uint64_t limit) {
  return handle.offset <= limit && handle.size <= limit - handle.offset &&
         kBlockTrailerSize <= limit - handle.offset - handle.size;
}

// Consumes a handle, two varints, from the front of `input`. If there is none,
// returns false and changes neither argument. The values are not checked.
bool ConsumeBlockHandle(absl::string_view* input, BlockHandle* handle);

// For messages, like "123 bytes at offset 456".
std::string ToString(const BlockHandle& handle);

}  // namespace linebloom
