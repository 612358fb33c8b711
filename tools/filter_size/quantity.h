// Numbers as people write them.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// A count: 100000000, 100,000,000, 1e8, 100M. The suffixes k, M, G and T stand
// for powers of 1000, in upper or lower case. Rounded to a whole number;
// nothing where the text is no such number, is negative or is 2^63 or more.
std::optional<uint64_t> ParseCount(absl::string_view text);

// Bytes: the same, and kB, MB, GB and TB for powers of 1000, KiB, MiB, GiB and
// TiB for powers of 1024.
std::optional<uint64_t> ParseBytes(absl::string_view text);

// A share of 1: 0.01, 1e-2 or 1%.
std::optional<double> ParseShare(absl::string_view text);

}  // namespace linebloom::tools
