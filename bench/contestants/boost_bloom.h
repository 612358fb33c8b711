// Boost.Bloom's filters whose keys have all their bits in one block.
#pragma once

#include <vector>

#include "bench/contestants/contestant.h"

namespace linebloom {

// None where the library came with no Boost.Bloom (Boost 1.89 and later) or
// the CPU has no AVX2, for which they are compiled.
std::vector<Contestant> BoostBloomContestants();

}  // namespace linebloom
