// What the environment says to liblinebloom_override.so:
//
//   LINEBLOOM_OVERRIDE   options as in an option string; `off`: change nothing
//   LINEBLOOM_VERBOSE    if not empty: say on stderr what is changed
#pragma once

#include <optional>
#include <string>

#include "linebloom/filter_policy.h"

namespace linebloom {

// Whether anything is changed at all. Not if LINEBLOOM_OVERRIDE is `off` or
// wrong, which stderr says once, nor in a RocksDB that this was not built for,
// whose options then must not even be copied.
bool OverrideIsOn();

// The options of a policy that takes the place of one with `bits_per_key`:
// those of LINEBLOOM_OVERRIDE, where that names no bits with these. Nothing if
// the program's own policy is to stay: also where it has no filter or more bits
// than linebloom knows.
std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key);

// Says `what` on stderr if LINEBLOOM_VERBOSE asks for it.
void SayIfVerbose(const std::string& what);

}  // namespace linebloom
