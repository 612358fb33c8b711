// The filters from outside RocksDB that filter_bench measures.
#pragma once

#include <string>
#include <vector>

#include "bench/contestants/contestant.h"

namespace linebloom {

const std::vector<Contestant>& Contestants();

// Null if there is no such contestant.
const Contestant* FindContestant(const std::string& name);

}  // namespace linebloom
