#include "bench/contestants/contestants.h"

namespace linebloom {

std::vector<Contestant> BoostBloomContestants() { return {}; }

}  // namespace linebloom
