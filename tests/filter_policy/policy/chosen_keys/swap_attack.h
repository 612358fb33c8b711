// Finds collisions of XXH3 with a seed from nothing but a filter's answers.
//
// XXH3 multiplies the operands x and y of a 16-byte block as (x ^ p) * (y ^ q),
// p = P + seed and q = Q - seed, with public P and Q. With d = p ^ q the block
// (y ^ d, x ^ d) has the same product, so who knows d makes a missing key that
// passes from any key. d is P ^ Q ^ e, where bit i of e says whether the carry
// of P + seed and the borrow of Q - seed into bit i differ; P and Q leave e few
// choices: 132,477 for its lower 34 bits, 236,380 for the upper 30. One file
// with a key for each of the upper ones, and a lookup for each of the lower
// ones, try all pairs.
#pragma once

#include <cstdint>

#include "tests/filter_policy/policy/chosen_keys/victim.h"

namespace linebloom {

struct SwapAttack {
  uint64_t difference;  // d, or what the attacker takes for it
  uint64_t inserts = 0;
  uint64_t lookups = 0;
};

// The difference of a seed that is known.
uint64_t SwapDifference(uint64_t seed);

// The key that collides with `key` if `difference` is right.
ChosenKey Swapped(const ChosenKey& key, uint64_t difference);

// Plays the attacker. Where the answers make no sense it goes on with what they
// seem to say.
SwapAttack RunSwapAttack(Victim* victim);

}  // namespace linebloom
