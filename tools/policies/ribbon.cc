#include "tools/policies/ribbon.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/functional/function_ref.h"
#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "rocksdb/filter_policy.h"
#include "tools/policies/built_filter.h"

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
absl::StatusOr<Bracket> Narrow(
    Bracket bracket, double width, uint64_t keys,
    absl::FunctionRef<bool(const std::string&)> is_enough) {
  while (bracket.enough - bracket.too_few > width) {
    const double middle = (bracket.too_few + bracket.enough) / 2;
    const absl::StatusOr<std::string> block = BuildRibbonBlock(middle, keys);
    if (!block.ok()) return block.status();
    (is_enough(*block) ? bracket.enough : bracket.too_few) = middle;
  }
  return bracket;
}

// The most bits per key to request so that a filter takes at most `bytes`,
// which are about `bits_per_key`.
absl::StatusOr<double> LargestWithin(double bytes, double bits_per_key,
                                     uint64_t keys) {
  const absl::StatusOr<Bracket> found =
      Narrow({bits_per_key, 2 * bits_per_key}, 0.002 * bits_per_key, keys,
             [bytes](const std::string& block) {
               return static_cast<double>(block.size()) > bytes;
             });
  if (!found.ok()) return found.status();
  return ToThousandths(found->too_few);
}

}  // namespace

absl::StatusOr<std::string> BuildRibbonBlock(double bloom_bits, uint64_t keys) {
  // -1: Ribbon in every level; by default level 0 has Bloom.
  return BuildFilterBlock(std::shared_ptr<const rocksdb::FilterPolicy>(
                              rocksdb::NewRibbonFilterPolicy(bloom_bits, -1)),
                          KeysToBuild(keys));
}

absl::StatusOr<double> RibbonBitsForMemory(double bits_per_key, uint64_t keys) {
  const double bytes =
      bits_per_key * static_cast<double>(KeysToBuild(keys)) / 8;
  return LargestWithin(bytes + 1e-3, bits_per_key, keys);
}

absl::StatusOr<double> RibbonBitsAsBloom(double bloom_bits, uint64_t keys) {
  const absl::StatusOr<std::string> bloom =
      BuildFilterBlock(std::shared_ptr<const rocksdb::FilterPolicy>(
                           rocksdb::NewBloomFilterPolicy(bloom_bits)),
                       KeysToBuild(keys));
  if (!bloom.ok()) return bloom.status();
  return LargestWithin(static_cast<double>(bloom->size()), bloom_bits, keys);
}

absl::StatusOr<double> RibbonBitsForRate(double rate, uint64_t keys) {
  // A Bloom filter's rate hardly falls beyond this.
  constexpr double kMostBits = 50;
  constexpr double kWidth = 0.005;
  const absl::StatusOr<Bracket> found =
      Narrow({1, kMostBits}, kWidth, keys, [&](const std::string& block) {
        return BuiltInFilterRate(block.data(), block.size(), KeysToBuild(keys))
                   .value_or(1) <= rate;
      });
  if (!found.ok()) return found.status();
  if (found->enough == kMostBits) {
    return absl::OutOfRangeError("no Ribbon filter reaches the rate");
  }
  return ToThousandths(found->enough);
}

}  // namespace linebloom::tools
