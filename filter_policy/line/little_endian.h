// Little-endian numbers at any address, on any CPU. Every number on disk is
// little-endian (docs/format.md).
#pragma once

#if __cplusplus < 202002L
#error "linebloom is C++20: compile its sources with -std=c++20"
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace linebloom {

// `from` needs no alignment and must have sizeof(Number) readable bytes.
template <typename Number>
Number LoadLittleEndian(const void* from) {
  std::array<char, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Number));
  if constexpr (std::endian::native == std::endian::big) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<Number>(bytes);
}

// `to` needs no alignment and must have sizeof(Number) writable bytes.
template <typename Number>
void StoreLittleEndian(void* to, Number number) {
  auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  if constexpr (std::endian::native == std::endian::big) {
    std::reverse(bytes.begin(), bytes.end());
  }
  std::memcpy(to, bytes.data(), sizeof(Number));
}

}  // namespace linebloom
