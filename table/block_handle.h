// Where a block of an SSTable lies.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace linebloom {

// Each block is followed by a byte for its compression and a checksum of 4
// bytes, which its handle's size leaves out.
inline constexpr uint64_t kBlockTrailerSize = 5;

struct BlockHandle {
  uint64_t offset = 0;  // of the block's first byte in the file
  uint64_t size = 0;    // of the payload in bytes, without the trailer

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// Whether payload and trailer end at or before byte `limit`. Safe for every
// value of the fields.
inline bool EndsBefore(const BlockHandle& handle, uint64_t limit) {
  return handle.offset <= limit && handle.size <= limit - handle.offset &&
         kBlockTrailerSize <= limit - handle.offset - handle.size;
}

// Takes a handle, two varints, off the front of `input`. Returns false, and
// leaves both alone, where there is none. The values are whatever the bytes
// say.
bool ConsumeBlockHandle(absl::string_view* input, BlockHandle* handle);

// For messages: "123 bytes at offset 456".
std::string ToString(const BlockHandle& handle);

}  // namespace linebloom
