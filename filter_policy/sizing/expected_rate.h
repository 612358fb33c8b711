// The false-positive rate to expect before a filter is built. A built filter
// knows its rate exactly and says it in its metadata; this is for planning.
#pragma once

#include <cstdint>
#include <optional>

#include "filter_policy/line/line.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {

// The rate of a large filter with `keys_per_line` keys in a line on average
// (512 / bits per key), more than 0. `millibits` is what was asked for; it
// decides the number of probes of plain lines only.
//
// The number of keys of one line is Poisson distributed (Putze, Sanders,
// Singler 2009), and the rate of a line with n keys is
//   plain:    fill^k, fill = 1 - (1 - k / 512)^n: the probes are independent;
//   solved:   measured by filter_policy/line/builder/line_tables.cc.
// Within 2 % of what filters have from 1 to 30 bits per key (tests).
double ExpectedRate(LineKind line, uint32_t millibits, double keys_per_line);

// By how much the logarithm of a line's rate falls with each bit per key: ln 2
// for every bit of a solved line that is not its header's; (ln 2)^2, the
// classic Bloom filter's, for a plain one.
double LogRatePerBit(LineKind line);

// What BitsForRate chooses from: 1 to 30 bits per key, as the policy takes.
inline constexpr uint32_t kLeastMillibits = 1 * kMillibitsPerBit;
inline constexpr uint32_t kMostMillibits = 30 * kMillibitsPerBit;

// The other way round: the fewest thousandths of a bit per key with which a
// large filter is expected to have no more than `rate`. Nothing where even
// kMostMillibits don't reach it. For plain lines it may be up to 30 thousandths
// more than the fewest: their rate rises a little where the number of probes
// changes.
std::optional<uint32_t> BitsForRate(LineKind line, double rate);

// The lowest rate that may be asked for: that of kMostMillibits.
double LowestRate(LineKind line);

}  // namespace linebloom
