#include "filter_policy/filter_facts/block_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter_policy/line/little_endian.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

constexpr size_t kRibbonColumnBytes = 16;

// The share of missing keys whose bits are all set, in a line with the share
// `fill` of its bits set: each probe hits a random bit of the line.
double BloomLineRate(double fill, const ParsedFilter& filter) {
  return std::pow(fill, filter.probes);
}

// The probes are equidistant, modulo the line's bits, and coincide if the
// distance is a multiple of a large power of 2: of 512 distances one leaves 1
// probe, one 2, two 4.
double LegacyBloomLineRate(double fill, const ParsedFilter& filter) {
  const uint32_t distances = 8 * filter.line_bytes;
  double rate = fill / distances;
  for (uint32_t half = 1; half < distances; half *= 2) {
    // `half` of the distances leave twice as many different probes.
    const double share = static_cast<double>(half) / distances;
    rate += share * std::pow(fill, std::min<double>(filter.probes, 2.0 * half));
  }
  return rate;
}

void ForEachLinebloomLine(absl::string_view block, const FilterBlockInfo& info,
                          LineSink sink) {
  const auto* const lines = reinterpret_cast<const uint8_t*>(block.data());
  for (uint64_t i = 0; i < info.lines; ++i) {
    sink(i, ReadLine(info.shape, lines + i * kLineBytes));
  }
}

void ForEachBloomLine(absl::string_view block, const ParsedFilter& filter,
                      LineSink sink) {
  const auto rate_of_fill = filter.kind == BlockKind::kLegacyBloom
                                ? LegacyBloomLineRate
                                : BloomLineRate;
  const uint64_t count = (block.size() - kFilterTailBytes) / filter.line_bytes;
  LineContents line;
  line.probes = filter.probes;
  line.bits = static_cast<int>(8 * filter.line_bytes);
  for (uint64_t i = 0; i < count; ++i) {
    line.bits_set = 0;
    for (uint32_t at = 0; at < filter.line_bytes; at += 8) {
      line.bits_set += std::popcount(LoadLittleEndian<uint64_t>(
          block.data() + i * filter.line_bytes + at));
    }
    line.rate = rate_of_fill(line.fill(), filter);
    sink(i, line);
  }
}

bool ForEachLine(absl::string_view block, const ParsedFilter& filter,
                 LineSink sink) {
  switch (filter.kind) {
    case BlockKind::kLinebloom:
      ForEachLinebloomLine(block, filter.info, sink);
      return true;
    case BlockKind::kBloom:
    case BlockKind::kLegacyBloom:
      ForEachBloomLine(block, filter, sink);
      return true;
    default:
      return false;
  }
}

// Fills in everything that the lines tell, if there are any.
void ReadLines(absl::string_view block, BlockFacts* facts) {
  double rates = 0;
  (void)ForEachLine(block, *facts, [&](uint64_t, const LineContents& line) {
    facts->Add({1, line.probes, line.probes, line.probes, line.fill()});
    rates += line.rate;
  });
  if (facts->lines > 0) {
    facts->rate = rates / static_cast<double>(facts->lines);
  }
}

// Two keys with the same 32-bit hash share all bits.
double WithCollisions(double rate, uint64_t keys) {
  const double collisions = 1 - std::exp(-static_cast<double>(keys) * 0x1p-32);
  return rate + collisions - rate * collisions;
}

}  // namespace

void LineTotals::Add(const LineTotals& more) {
  if (more.lines == 0) return;
  min_probes =
      lines == 0 ? more.min_probes : std::min(min_probes, more.min_probes);
  max_probes = std::max(max_probes, more.max_probes);
  lines += more.lines;
  const double share =
      static_cast<double>(more.lines) / static_cast<double>(lines);
  mean_probes += share * (more.mean_probes - mean_probes);
  fill += share * (more.fill - fill);
}

absl::string_view ToString(BlockKind kind) {
  // In the order of BlockKind.
  static constexpr absl::string_view kNames[] = {
      "empty",         "linebloom",      "linebloom, unusable",
      "RocksDB Bloom", "RocksDB Ribbon", "RocksDB legacy Bloom",
      "reserved",      "damaged"};
  return kNames[static_cast<size_t>(kind)];
}

BlockFacts ReadBlockFacts(absl::string_view block, uint64_t keys) {
  BlockFacts facts{ParseFilter(block.data(), block.size()), {}};
  facts.bytes = block.size();
  facts.rate = facts.kind == BlockKind::kEmpty ? 0 : 1;
  if (facts.kind == BlockKind::kLinebloom) facts.line_bytes = kLineBytes;
  ReadLines(block, &facts);
  if (facts.kind == BlockKind::kLegacyBloom) {
    facts.rate = WithCollisions(facts.rate, keys);
  }
  // A Ribbon filter's rate does not depend on its keys.
  if (facts.kind == BlockKind::kRibbon) {
    facts.rate =
        BuiltInFilterRate(block.data(), block.size(), keys).value_or(1);
  }
  return facts;
}

bool ForEachLine(absl::string_view block, LineSink sink) {
  return ForEachLine(block, ParseFilter(block.data(), block.size()), sink);
}

double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes) {
  return MeanOverLines(
      static_cast<double>(keys) / static_cast<double>(lines), [probes](int n) {
        const double fill = 1 - std::pow(1 - 1 / kBitsPerLine, n * probes);
        return std::pow(fill, probes);
      });
}

double RibbonRate(uint64_t columns, uint64_t blocks) {
  const uint64_t fewest = columns / blocks;
  const auto fewer = static_cast<double>(fewest);
  const double share_with_more =
      static_cast<double>(columns % blocks) / static_cast<double>(blocks);
  return (1 - share_with_more) * std::exp2(-fewer) +
         share_with_more * std::exp2(-fewer - 1);
}

std::optional<double> BuiltInFilterRate(const char* data, size_t size,
                                        uint64_t keys) {
  const ParsedFilter filter = ParseFilter(data, size);
  if (filter.kind == BlockKind::kBloom && keys > 0) {
    const uint64_t lines = (size - kFilterTailBytes) / filter.line_bytes;
    return BlockedBloomRate(keys, lines, filter.probes);
  }
  if (filter.kind == BlockKind::kRibbon) {
    return RibbonRate((size - kFilterTailBytes) / kRibbonColumnBytes,
                      filter.blocks);
  }
  return std::nullopt;
}

}  // namespace linebloom
