#include "tools/filter_size/ribbon_answer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "tools/policies/ribbon.h"

namespace linebloom::tools {
namespace {

// The bits to request from RocksDB.
absl::StatusOr<double> BloomBits(const Question& question, uint64_t keys) {
  if (question.rate.has_value()) return RibbonBitsForRate(*question.rate, keys);
  if (question.bits_per_key.has_value()) {
    return RibbonBitsForMemory(*question.bits_per_key, keys);
  }
  return RibbonBitsForMemory(8 * static_cast<double>(*question.bytes) /
                                 static_cast<double>(*question.keys),
                             keys);
}

}  // namespace

absl::StatusOr<std::optional<FilterSize>> SizeRibbon(const Question& question) {
  const uint64_t keys =
      std::min(question.keys.value_or(kMaxRibbonKeys), kMaxRibbonKeys);
  const absl::StatusOr<double> bloom_bits = BloomBits(question, keys);
  if (absl::IsOutOfRange(bloom_bits.status())) {
    return std::optional<FilterSize>();
  }
  if (!bloom_bits.ok()) return bloom_bits.status();
  const absl::StatusOr<std::string> block = BuildRibbonBlock(*bloom_bits, keys);
  if (!block.ok()) return block.status();
  const std::optional<double> rate =
      BuiltInFilterRate(block->data(), block->size(), keys);
  if (!rate.has_value()) return std::optional<FilterSize>();

  const double bits_per_key =
      8 * static_cast<double>(block->size()) / static_cast<double>(keys);
  FilterSize size;
  size.keys =
      question.keys.has_value()
          ? *question.keys
          : static_cast<uint64_t>(8 * static_cast<double>(*question.bytes) /
                                  bits_per_key);
  if (size.keys == 0) return std::optional<FilterSize>();
  size.bits = std::llround(static_cast<double>(size.keys) * bits_per_key);
  size.rate = *rate;
  return std::optional<FilterSize>(size);
}

}  // namespace linebloom::tools
