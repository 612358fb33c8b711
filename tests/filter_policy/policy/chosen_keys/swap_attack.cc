#include "tests/filter_policy/policy/chosen_keys/swap_attack.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace linebloom {
namespace {

// The first 16 bytes of XXH3's public secret.
constexpr uint64_t kP = 0xbe4ba423396cfeb8;
constexpr uint64_t kQ = 0x1cad21f72c81017c;
constexpr int kLowerBits = 34;

// Any number, so that a key's halves look different.
constexpr uint64_t kHalves = 0x0123456789abcdef;

using Carries = std::pair<unsigned, unsigned>;  // carry and borrow, each a bit
using Choices = std::map<Carries, std::set<uint64_t>>;

// How the bits of e from `begin` to `end` - 1 may be, by the carries they end
// with.
Choices Continue(Choices choices, int begin, int end) {
  for (int bit = begin; bit < end; ++bit) {
    const auto p = static_cast<unsigned>(kP >> bit & 1);
    const auto q = static_cast<unsigned>(kQ >> bit & 1);
    Choices next;
    for (const auto& [carries, es] : choices) {
      const auto [carry, borrow] = carries;
      for (const unsigned s : {0u, 1u}) {
        const unsigned out = (p + s + carry) >> 1;
        const unsigned owed = q < s + borrow ? 1 : 0;
        for (const uint64_t e : es) {
          next[{out, owed}].insert(e | uint64_t{carry ^ borrow} << bit);
        }
      }
    }
    choices = std::move(next);
  }
  return choices;
}

std::vector<uint64_t> AllOf(const Choices& choices) {
  std::set<uint64_t> all;
  for (const auto& [carries, es] : choices) all.insert(es.begin(), es.end());
  return {all.begin(), all.end()};
}

class Attacker {
 public:
  explicit Attacker(Victim* victim) : victim_(*victim) {
    Choices lower = Continue({{{0, 0}, {0}}}, 0, kLowerBits);
    lowers_ = AllOf(lower);
    for (auto& [carries, es] : lower) es = {0};
    uppers_ = AllOf(Continue(lower, kLowerBits, 64));
  }

  SwapAttack Run() {
    FindLower();
    FindUpper();
    attack_.difference = kP ^ kQ ^ lowers_.front() ^ uppers_.front();
    return attack_;
  }

 private:
  // Keys of which one is the partner of Ask()'s, if `uppers` has the right one.
  void Write(const std::vector<uint64_t>& uppers) {
    ++round_;
    std::vector<ChosenKey> keys;
    keys.reserve(uppers.size());
    for (const uint64_t e : uppers) keys.push_back({e, e ^ kHalves, round_, 0});
    victim_.Write(keys);
    attack_.inserts += keys.size();
  }

  bool Ask(uint64_t lower) {
    ++attack_.lookups;
    const uint64_t x = kHalves ^ kP ^ kQ ^ lower;
    return victim_.MayMatch({x, x ^ kHalves, round_, 0});
  }

  // Those that pass in one file after another, until one is left.
  void FindLower() {
    for (int file = 0; file < 6 && lowers_.size() > 1; ++file) {
      Write(uppers_);
      std::vector<uint64_t> passed;
      for (const uint64_t lower : lowers_) {
        if (Ask(lower)) passed.push_back(lower);
      }
      if (!passed.empty()) lowers_ = std::move(passed);
    }
  }

  // Halves the rest with each file.
  void FindUpper() {
    while (uppers_.size() > 1) {
      const auto middle =
          uppers_.begin() + static_cast<std::ptrdiff_t>(uppers_.size() / 2);
      const std::vector<uint64_t> half(uppers_.begin(), middle);
      Write(half);
      if (Ask(lowers_.front())) {
        uppers_ = half;
      } else {
        uppers_.erase(uppers_.begin(), middle);
      }
    }
  }

  Victim& victim_;
  SwapAttack attack_{};
  std::vector<uint64_t> lowers_;  // that e may still have
  std::vector<uint64_t> uppers_;
  uint64_t round_ = 0;
};

}  // namespace

uint64_t SwapDifference(uint64_t seed) { return (kP + seed) ^ (kQ - seed); }

ChosenKey Swapped(const ChosenKey& key, uint64_t difference) {
  return {key[1] ^ difference, key[0] ^ difference, key[2], key[3]};
}

SwapAttack RunSwapAttack(Victim* victim) { return Attacker(victim).Run(); }

}  // namespace linebloom
