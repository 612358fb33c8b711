// A file with a filter, as an attacker sees it who may write keys of his own
// and can tell which lookups of missing keys read the disk.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"

namespace linebloom {

// 32 bytes: XXH3 takes them as two blocks of two operands each.
using ChosenKey = std::array<uint64_t, 4>;

class Victim {
 public:
  virtual ~Victim() = default;

  // Writes a file of these keys; later answers are of this file.
  virtual void Write(const std::vector<ChosenKey>& keys) = 0;
  virtual bool MayMatch(const ChosenKey& key) const = 0;

  // Not for the attacker: the rate that the file has for keys that nobody
  // chose.
  virtual double ExpectedRate() const = 0;
};

// Through RocksDB's interfaces, with `hash_seed` as in FilterPolicyOptions.
std::unique_ptr<Victim> NewVictim(uint64_t hash_seed, double bits_per_key = 10);

// The same lines with XXH3 and its own seed, which linebloom does not use.
std::unique_ptr<Victim> NewXxh3SeedVictim(uint64_t seed);

}  // namespace linebloom
