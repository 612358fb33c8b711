#include "tools/filter_dump/block_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter_policy/line_contents.h"
#include "table/built_in_filter.h"
#include "table/little_endian.h"
#include "tools/built_in_filter_rate.h"

namespace linebloom::tools {
namespace {

constexpr size_t kBuiltInTailBytes = 5;

void ReadLines(const uint8_t* lines, BlockFacts* facts) {
  facts->line_bytes = kLineBytes;
  facts->lines = facts->info.lines;
  facts->least_probes = INT32_MAX;
  uint64_t bits_set = 0;
  uint64_t bits = 0;
  uint64_t probes = 0;
  double rates = 0;
  for (uint64_t i = 0; i < facts->lines; ++i) {
    const LineContents line = ReadLine(*facts->shape, lines + i * kLineBytes);
    facts->least_probes = std::min(facts->least_probes, line.probes);
    facts->most_probes = std::max(facts->most_probes, line.probes);
    facts->odd_lines += line.asked ? 0 : 1;
    probes += line.probes;
    bits_set += line.bits_set;
    bits += line.bits;
    rates += line.rate;
  }
  const auto count = static_cast<double>(facts->lines);
  facts->mean_probes = static_cast<double>(probes) / count;
  facts->fill = static_cast<double>(bits_set) / static_cast<double>(bits);
  facts->rate = rates / count;
}

void ReadLinebloom(absl::string_view block, const ParsedFilterBlock& parsed,
                   BlockFacts* facts) {
  facts->info = parsed.info;
  facts->problem = parsed.problem;
  const LineShape shape = {static_cast<LineKind>(parsed.info.line_kind),
                           parsed.info.probes, parsed.info.rotation_bits};
  if (parsed.kind == FilterBlockKind::kReadable && IsReadable(shape)) {
    facts->kind = BlockKind::kLinebloom;
    facts->shape = shape;
    ReadLines(reinterpret_cast<const uint8_t*>(block.data()), facts);
    return;
  }
  facts->kind = BlockKind::kUnusable;
  facts->rate = 1;
  if (facts->problem == nullptr) facts->problem = "the kind of line is unknown";
}

// The share of missing keys that find all their bits set in a line of which the
// share `fill` is set.
using RateOfFill = double (*)(double fill, const BuiltInFilter& filter);

// All probes anywhere in the line, each by chance.
double BloomLineRate(double fill, const BuiltInFilter& filter) {
  return std::pow(fill, filter.probes);
}

// Probes at equal distances, modulo the line's bits. The distance is a multiple
// of large powers of 2 for some keys, whose probes then fall on each other: of
// 512 distances one is 0 and makes all probes one, one is 256 and leaves two,
// two leave four, and so on.
double LegacyBloomLineRate(double fill, const BuiltInFilter& filter) {
  const uint64_t distances = uint64_t{8} * filter.line_bytes;
  double rate = fill / static_cast<double>(distances);
  for (uint64_t places = 2; places <= distances; places *= 2) {
    const double share =
        static_cast<double>(places / 2) / static_cast<double>(distances);
    rate +=
        share * std::pow(fill, std::min<double>(filter.probes,
                                                static_cast<double>(places)));
  }
  return rate;
}

void ReadBloomLines(absl::string_view block, const BuiltInFilter& filter,
                    RateOfFill rate_of_fill, BlockFacts* facts) {
  const double line_bits = 8.0 * filter.line_bytes;
  facts->lines = (block.size() - kBuiltInTailBytes) / filter.line_bytes;
  facts->line_bytes = static_cast<int>(filter.line_bytes);
  facts->least_probes = facts->most_probes = filter.probes;
  facts->mean_probes = filter.probes;
  double fills = 0;
  double rates = 0;
  for (uint64_t i = 0; i < facts->lines; ++i) {
    uint64_t bits_set = 0;
    for (uint32_t at = 0; at < filter.line_bytes; at += 8) {
      bits_set += std::popcount(LoadLittleEndian<uint64_t>(
          block.data() + i * filter.line_bytes + at));
    }
    const double fill = static_cast<double>(bits_set) / line_bits;
    fills += fill;
    rates += rate_of_fill(fill, filter);
  }
  facts->fill = fills / static_cast<double>(facts->lines);
  facts->rate = rates / static_cast<double>(facts->lines);
}

// Two keys of the same 32-bit hash have all bits in common.
double WithCollisions(double rate, uint64_t keys) {
  const double collisions = 1 - std::exp(-static_cast<double>(keys) * 0x1p-32);
  return rate + collisions - rate * collisions;
}

void ReadBuiltIn(absl::string_view block, uint64_t keys, BlockFacts* facts) {
  const BuiltInFilter filter = ParseBuiltInFilter(block.data(), block.size());
  facts->rate = 1;
  switch (filter.kind) {
    case BuiltInFilterKind::kBloom:
      facts->kind = BlockKind::kBloom;
      ReadBloomLines(block, filter, BloomLineRate, facts);
      break;
    case BuiltInFilterKind::kLegacyBloom:
      facts->kind = BlockKind::kLegacyBloom;
      ReadBloomLines(block, filter, LegacyBloomLineRate, facts);
      facts->rate = WithCollisions(facts->rate, keys);
      break;
    case BuiltInFilterKind::kRibbon:
      facts->kind = BlockKind::kRibbon;
      // Of keys it needs none.
      facts->rate =
          BuiltInFilterRate(block.data(), block.size(), keys).value_or(1);
      break;
    case BuiltInFilterKind::kReserved:
      facts->kind = BlockKind::kReserved;
      break;
    case BuiltInFilterKind::kInconsistent:
      facts->kind = BlockKind::kInconsistent;
      break;
  }
}

}  // namespace

absl::string_view ToString(BlockKind kind) {
  switch (kind) {
    case BlockKind::kEmpty:
      return "empty";
    case BlockKind::kLinebloom:
      return "linebloom";
    case BlockKind::kUnusable:
      return "linebloom, unusable";
    case BlockKind::kBloom:
      return "RocksDB Bloom";
    case BlockKind::kRibbon:
      return "RocksDB Ribbon";
    case BlockKind::kLegacyBloom:
      return "RocksDB legacy Bloom";
    case BlockKind::kReserved:
      return "reserved";
    case BlockKind::kInconsistent:
      return "damaged";
  }
  return "unknown";
}

BlockFacts ReadBlockFacts(absl::string_view block, uint64_t keys) {
  BlockFacts facts;
  facts.bytes = block.size();
  const ParsedFilterBlock parsed = ParseFilterBlock(block.data(), block.size());
  switch (parsed.kind) {
    case FilterBlockKind::kNoKeys:
      break;
    case FilterBlockKind::kReadable:
    case FilterBlockKind::kUnusable:
      ReadLinebloom(block, parsed, &facts);
      break;
    case FilterBlockKind::kForeign:
      ReadBuiltIn(block, keys, &facts);
      break;
  }
  return facts;
}

}  // namespace linebloom::tools
