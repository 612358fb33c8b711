// Little-endian numbers at any address, on any CPU. Every number on disk is
// little-endian (docs/format.md).
#pragma once

#if __cplusplus < 202002L
#error "linebloom is C++20: compile its sources with -std=c++20"
#endif

#include <bit>
#include <cstring>

namespace linebloom {

static_assert(std::endian::native == std::endian::little ||
                  std::endian::native == std::endian::big,
              "mixed-endian CPUs are not supported");

template <typename Unsigned>
constexpr Unsigned SwapIfBigEndian(Unsigned value) {
  if constexpr (std::endian::native == std::endian::little) return value;
  Unsigned swapped = 0;
  for (unsigned i = 0; i < sizeof(Unsigned); ++i) {
    swapped = static_cast<Unsigned>(swapped << 8 | (value >> (8 * i) & 0xff));
  }
  return swapped;
}

// `from` needs no alignment and must have sizeof(Unsigned) readable bytes.
template <typename Unsigned>
Unsigned LoadLittleEndian(const void* from) {
  Unsigned value;
  std::memcpy(&value, from, sizeof(value));
  return SwapIfBigEndian(value);
}

// `to` needs no alignment and must have sizeof(Unsigned) writable bytes.
template <typename Unsigned>
void StoreLittleEndian(void* to, Unsigned value) {
  value = SwapIfBigEndian(value);
  std::memcpy(to, &value, sizeof(value));
}

}  // namespace linebloom
