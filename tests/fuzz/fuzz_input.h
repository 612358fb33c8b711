// What fuzz targets share: parsing bytes from the front, copies of exactly
// their size, and promises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "filter_policy/line/little_endian.h"

namespace linebloom::testing {

// Missing bytes at the end read as 0, or as fewer bytes: every input is valid.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }

  template <typename Unsigned>
  Unsigned Number() {
    char bytes[sizeof(Unsigned)] = {};
    const std::string_view taken = Bytes(sizeof(Unsigned));
    std::copy(taken.begin(), taken.end(), bytes);
    return LoadLittleEndian<Unsigned>(bytes);
  }

  std::string_view Bytes(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // A length of one byte, then that many bytes.
  std::string_view ShortBytes() { return Bytes(Number<uint8_t>()); }

  std::string_view Rest() { return Bytes(rest_.size()); }

 private:
  std::string_view rest_;
};

// Bytes in their own memory of exactly their size: AddressSanitizer detects
// every access outside, but not outside a part of a larger buffer, nor outside
// a std::string, which stores short texts in itself.
inline std::vector<char> ExactCopy(std::string_view bytes) {
  return {bytes.begin(), bytes.end()};
}

// Unless `kept`, ends the process, which a fuzzer counts as a finding.
inline void Promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace linebloom::testing
