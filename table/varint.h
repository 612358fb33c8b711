// Varints: 7 bits per byte, lowest first, with the high bit set in all bytes
// but the last.
//
// Abseil has no public reader for them. Protocol Buffers has one, but is a
// large dependency for a single loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace linebloom {

// Consumes a varint of up to 64 bits from the front of `input`. If the input
// ends early or the value needs more bits, returns false and changes neither
// argument.
inline bool ConsumeVarint64(absl::string_view* input, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < input->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*input)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      input->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

// The same for up to 32 bits.
inline bool ConsumeVarint32(absl::string_view* input, uint32_t* value) {
  absl::string_view rest = *input;
  uint64_t wide = 0;
  if (!ConsumeVarint64(&rest, &wide) || wide > UINT32_MAX) return false;
  *input = rest;
  *value = static_cast<uint32_t>(wide);
  return true;
}

// Signed numbers are stored as varints with the sign in the lowest bit.
inline bool ConsumeSignedVarint64(absl::string_view* input, int64_t* value) {
  uint64_t zigzag = 0;
  if (!ConsumeVarint64(input, &zigzag)) return false;
  *value = static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
  return true;
}

}  // namespace linebloom
