#include "bench/contestants/boost_bloom.h"

namespace linebloom {

std::vector<Contestant> BoostBloomContestants() { return {}; }

}  // namespace linebloom
