#include "bench/contestants/contestants.h"

#include <algorithm>

namespace linebloom {

#ifndef LINEBLOOM_HAS_BOOST_BLOOM
std::vector<Contestant> BoostBloomContestants() { return {}; }
#endif

Hashes DistinctOf(Hashes hashes) {
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

const std::vector<Contestant>& Contestants() {
  static const auto* const contestants = [] {
    auto* const all = new std::vector<Contestant>(BinaryFuseContestants());
    for (const auto& some : {CuckooContestants(), BoostBloomContestants()}) {
      all->insert(all->end(), some.begin(), some.end());
    }
    return all;
  }();
  return *contestants;
}

const Contestant* FindContestant(const std::string& name) {
  const auto found = std::ranges::find(Contestants(), name, &Contestant::name);
  return found == Contestants().end() ? nullptr : &*found;
}

}  // namespace linebloom
