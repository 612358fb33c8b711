// What a policy says to its users: the sentences of warnings and errors, and of
// the info log. But for ProcessName(), pure functions; numbers have a decimal
// point in every locale.
#pragma once

#include <string>
#include <string_view>

#include "filter_policy/bits/auto_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/status.h"

namespace linebloom {

rocksdb::Status NoEntropy();

// Options have a problem; filters are built with others instead.
std::string BuiltInstead(const rocksdb::Status& problem,
                         const std::string& instead);

// A file that no listener of this copy announced gets bits without regard to
// its level.
std::string NoListener(const FilterPolicyOptions& options);

// With bits_per_key=auto, of filters that share no block cache.
std::string BesideCache();

// Filters may deny rows to a comparator of this name.
std::string MayDenyRows(std::string_view comparator);

// This process's, by which the system lists it; "" if it doesn't tell.
std::string ProcessName();

// The average that was chosen for new files, why, what it is expected to save,
// and by which process: a database is also opened by tools, whose block cache
// isn't the application's.
std::string ChosenBits(const AutoBits& chosen, const std::string& process);

}  // namespace linebloom
