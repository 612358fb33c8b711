// The filters from outside RocksDB that filter_bench measures.
#pragma once

#include <string>
#include <vector>

#include "bench/contestants/contestant.h"

namespace linebloom {

const std::vector<Contestant>& Contestants();

// Null if there is no such contestant.
const Contestant* FindContestant(const std::string& name);

// Those of Boost.Bloom that keep all bits of a key in one block. Empty without
// Boost.Bloom (Boost 1.89), or without AVX2, which they are compiled for.
std::vector<Contestant> BoostBloomContestants();

}  // namespace linebloom
