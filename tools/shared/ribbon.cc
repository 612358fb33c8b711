#include "tools/shared/ribbon.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/functional/function_ref.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "rocksdb/filter_policy.h"
#include "tools/shared/policies.h"

namespace linebloom::tools {
namespace {

uint64_t KeysToBuild(uint64_t keys) {
  return std::clamp<uint64_t>(keys, 1, kMaxRibbonKeys);
}

// Rounds to what RocksDB accepts and stores: thousandths of a bit.
double ToThousandths(double bits) { return std::round(bits * 1000) / 1000; }

// Two neighbouring bits per key of a Bloom filter.
struct Bracket {
  double too_few;
  double enough;
};

// Narrows `bracket` to `width`. `is_enough` judges a block.
Bracket Narrow(Bracket bracket, double width, uint64_t keys,
               absl::FunctionRef<bool(const std::string&)> is_enough) {
  while (bracket.enough - bracket.too_few > width) {
    const double middle = (bracket.too_few + bracket.enough) / 2;
    (is_enough(BuildRibbonBlock(middle, keys)) ? bracket.enough
                                               : bracket.too_few) = middle;
  }
  return bracket;
}

// The most bits per key to request so that a filter takes at most `bytes`,
// which are about `bits_per_key`.
double LargestWithin(double bytes, double bits_per_key, uint64_t keys) {
  const Bracket found =
      Narrow({bits_per_key, 2 * bits_per_key}, 0.002 * bits_per_key, keys,
             [bytes](const std::string& block) {
               return static_cast<double>(block.size()) > bytes;
             });
  return ToThousandths(found.too_few);
}

}  // namespace

std::string BuildRibbonBlock(double bloom_bits, uint64_t keys) {
  // -1: Ribbon in every level; by default level 0 has Bloom.
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewRibbonFilterPolicy(bloom_bits, -1));
  return BuildFilterBlock(*policy, KeysToBuild(keys));
}

double RibbonBitsForMemory(double bits_per_key, uint64_t keys) {
  const double bytes =
      bits_per_key * static_cast<double>(KeysToBuild(keys)) / 8;
  return LargestWithin(bytes + 1e-3, bits_per_key, keys);
}

double RibbonBitsAsBloom(double bloom_bits, uint64_t keys) {
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewBloomFilterPolicy(bloom_bits));
  const std::string bloom = BuildFilterBlock(*policy, KeysToBuild(keys));
  return LargestWithin(static_cast<double>(bloom.size()), bloom_bits, keys);
}

std::optional<double> RibbonBitsForRate(double rate, uint64_t keys) {
  // A Bloom filter's rate hardly falls beyond this.
  constexpr double kMostBits = 50;
  constexpr double kWidth = 0.005;
  const Bracket found =
      Narrow({1, kMostBits}, kWidth, keys, [&](const std::string& block) {
        return BuiltInFilterRate(block.data(), block.size(), KeysToBuild(keys))
                   .value_or(1) <= rate;
      });
  if (found.enough == kMostBits) return std::nullopt;
  return ToThousandths(found.enough);
}

}  // namespace linebloom::tools
