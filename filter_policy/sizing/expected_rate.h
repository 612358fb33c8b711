// The false-positive rate to expect before a filter is built, for planning. A
// built filter's metadata has its exact rate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "filter_policy/line/line.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {

// The rate of a large filter with a mean of `keys_per_line` keys per line (512
// / bits per key), more than 0. `millibits` is the requested size; it
// determines only the number of probes of plain lines.
//
// Plain lines: MeanOverLines() of fill^k, fill = 1 - (1 - k / 512)^n in a line
// with n keys, because probes are independent. Solved lines: measured by
// filter_policy/line/builder/line_tables.cc.
// Tests check that real filters of 1 to 30 bits per key are within 2 %.
double ExpectedRate(Line line, uint32_t millibits, double keys_per_line);

// The mean of `rate(keys)` over lines whose numbers of keys are Poisson
// distributed with this mean (Putze, Sanders, Singler 2009).
double MeanOverLines(double keys_per_line,
                     const std::function<double(int keys)>& rate);

// How much the logarithm of a line's rate falls with each bit per key. A plain
// line: (ln 2)^2, as for a classic Bloom filter. A solved line: ln 2, except
// for the bits of its header.
double LogRatePerBit(Line line);

// The range of BitsForRate, and of a run's bits per key in a tree: 1 to 30 bits
// per key, as for the policy.
inline constexpr double kMinBitsOfRun = 1;
inline constexpr double kMaxBitsOfRun = 30;
inline constexpr uint32_t kMinMillibits = 1 * kMillibitsPerBit;
inline constexpr uint32_t kMaxMillibits = 30 * kMillibitsPerBit;

// The fewest thousandths of a bit per key with which a large filter is expected
// to have at most `rate`; nothing if kMaxMillibits is too few. For plain lines
// up to 30 too many, where the number of probes changes.
std::optional<uint32_t> BitsForRate(Line line, double rate);

// The lowest rate that may be requested: the rate of kMaxMillibits.
double LowestRate(Line line);

}  // namespace linebloom
