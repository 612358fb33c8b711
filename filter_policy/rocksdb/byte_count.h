// Numbers of bytes in option strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linebloom {

// Parses a whole number, optionally followed by K, M, G or T (or k, m, g, t)
// for 2^10, 2^20, 2^30 or 2^40. Nothing if `text` is anything else or
// overflows. RocksDB's own parser reads `512Mx` as 512 MiB and wraps around.
std::optional<uint64_t> ParseByteCount(std::string_view text);

// The shortest text that parses back: "512M".
std::string ByteCountText(uint64_t bytes);

}  // namespace linebloom
