// A number of bytes as RocksDB's option strings have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linebloom {

// The whole number that `text` is, with K, M, G or T behind it (or k, m, g, t)
// for 2^10, 2^20, 2^30 and 2^40. RocksDB's own parser takes `512Mx` for 512 MiB
// and lets a number that does not fit wrap around; here both are nothing.
std::optional<uint64_t> ParseByteCount(std::string_view text);

// The shortest text that parses back: "512M".
std::string ByteCountText(uint64_t bytes);

}  // namespace linebloom
