#include "bench/contestants/contestants.h"

#include <algorithm>

#include "bench/contestants/binary_fuse.h"
#include "bench/contestants/cuckoo.h"

namespace linebloom {
namespace {

// Each place is in a different segment.
template <int kArity, typename Fingerprint>
Contestant FuseContestant(const char* name) {
  return {name, kArity,
          &ContestantPolicy<BinaryFuse<kArity, Fingerprint>>::New};
}

// Reads eight bytes of each of two buckets, wherever they start.
template <int kBits>
Contestant CuckooContestant(const char* name) {
  return {name, 2 * (1 + 7 / 64.0), &ContestantPolicy<Cuckoo<kBits>>::New};
}

std::vector<Contestant> MakeContestants() {
  std::vector<Contestant> contestants = {
      FuseContestant<3, uint8_t>("binary-fuse-3x8"),
      FuseContestant<4, uint8_t>("binary-fuse-4x8"),
      FuseContestant<4, uint16_t>("binary-fuse-4x16"),
      CuckooContestant<10>("cuckoo-10"),
      CuckooContestant<12>("cuckoo-12"),
  };
  for (const Contestant& contestant : BoostBloomContestants()) {
    contestants.push_back(contestant);
  }
  return contestants;
}

}  // namespace

const std::vector<Contestant>& Contestants() {
  static const auto* const contestants =
      new std::vector<Contestant>(MakeContestants());
  return *contestants;
}

const Contestant* FindContestant(const std::string& name) {
  const auto found = std::find_if(Contestants().begin(), Contestants().end(),
                                  [&name](const Contestant& contestant) {
                                    return contestant.name == name;
                                  });
  return found == Contestants().end() ? nullptr : &*found;
}

}  // namespace linebloom
