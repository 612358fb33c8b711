#include "filter_policy/rebuild/built_in_rate.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"

namespace linebloom {
namespace {

// RocksDB builds Bloom filters for much fewer keys where Ribbon was requested.
constexpr uint64_t kKeys = 10'000;

}  // namespace

std::optional<double> RateOfBuiltIn(
    const rocksdb::FilterPolicy& policy,
    const rocksdb::FilterBuildingContext& context) {
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) return 1;
  for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(std::to_string(i));
  std::unique_ptr<const char[]> memory;
  const rocksdb::Slice block = builder->Finish(&memory);
  const BlockFacts facts =
      ReadBlockFacts(absl::string_view(block.data(), block.size()), kKeys);
  switch (facts.kind) {
    case BlockKind::kBloom:
    case BlockKind::kRibbon:
    case BlockKind::kLegacyBloom:
      return facts.rate;
    default:
      return std::nullopt;
  }
}

}  // namespace linebloom
