// The filters of Boost.Bloom that keep all bits of a key in one block.
#pragma once

#include <vector>

#include "bench/contestants/contestant.h"

namespace linebloom {

// Empty if this was built without Boost.Bloom (Boost 1.89 and later) or if the
// CPU lacks AVX2, which they are compiled for.
std::vector<Contestant> BoostBloomContestants();

}  // namespace linebloom
