// The environment variables of liblinebloom_override.so:
//
//   LINEBLOOM_OVERRIDE   options as in an option string; `off` changes nothing
//   LINEBLOOM_VERBOSE    if not empty, reports changes on stderr
#pragma once

#include <optional>
#include <string>

#include "linebloom/filter_policy.h"

namespace linebloom {

// True if anything is to be changed. False if LINEBLOOM_OVERRIDE is `off` or
// invalid (reported once on stderr), and in a RocksDB that this library was not
// built for, whose options must not even be copied.
bool OverrideIsOn();

// The options of the policy that replaces one with `bits_per_key`: those of
// LINEBLOOM_OVERRIDE, with these bits per key if it sets neither bits nor a
// rate. Nothing if the program keeps its own policy, for example because that
// has no filter, or more bits than linebloom allows.
std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key);

// Prints `what` on stderr if LINEBLOOM_VERBOSE is set.
void SayIfVerbose(const std::string& what);

}  // namespace linebloom
