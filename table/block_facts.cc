#include "table/block_facts.h"

#include <bit>
#include <cmath>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

constexpr size_t kRibbonColumnBytes = 16;

// A Ribbon filter of `columns` columns over `blocks` blocks of 128 slots. A
// missing key passes each column of its block with probability 1/2. Blocks
// differ by at most one column.
double RibbonRate(uint64_t columns, uint64_t blocks) {
  const uint64_t whole = columns / blocks;
  const double fewer = whole;
  const double share_with_more = 1.0 * (columns % blocks) / blocks;
  return (1 - share_with_more) * std::exp2(-fewer) +
         share_with_more * std::exp2(-fewer - 1);
}

// The mean rate of a block's lines. Of linebloom's each header tells it, of
// Bloom filters the share of its bits that are set: probes are products of one
// hash, yet as good as independent (docs/program.md, "Look into filters").
// Those of legacy ones are equidistant and may coincide, and more keys share a
// hash of 32 bits, so it is a lower limit.
double RateOfLines(absl::string_view block, const ParsedFilter& filter) {
  double rates = 0;
  if (filter.kind == BlockKind::kLinebloom) {
    const auto* const lines = reinterpret_cast<const uint8_t*>(block.data());
    for (uint64_t i = 0; i < filter.info.lines; ++i) {
      rates += RateOfLine(filter.info.shape, lines + i * kLineBytes);
    }
    return rates / filter.info.lines;
  }
  const uint64_t count = (block.size() - kFilterTailBytes) / filter.line_bytes;
  for (uint64_t i = 0; i < count; ++i) {
    int set = 0;
    for (uint32_t at = 0; at < filter.line_bytes; at += 8) {
      set += std::popcount(LoadLittleEndian<uint64_t>(
          block.data() + i * filter.line_bytes + at));
    }
    rates += std::pow(set / (8.0 * filter.line_bytes), filter.probes);
  }
  return rates / count;
}

}  // namespace

absl::string_view ToString(BlockKind kind) {
  // In the order of BlockKind.
  static constexpr absl::string_view kNames[] = {
      "empty",         "linebloom",      "linebloom, unusable",
      "RocksDB Bloom", "RocksDB Ribbon", "RocksDB legacy Bloom",
      "reserved",      "damaged"};
  return kNames[static_cast<size_t>(kind)];
}

BlockFacts ReadBlockFacts(absl::string_view block) {
  BlockFacts facts{ParseFilter(block.data(), block.size())};
  facts.bytes = block.size();
  if (facts.kind == BlockKind::kLinebloom ||
      facts.kind == BlockKind::kLegacyBloom ||
      facts.kind == BlockKind::kBloom) {
    facts.rate = RateOfLines(block, facts);
  } else if (facts.kind == BlockKind::kRibbon) {
    facts.rate = RibbonRate(
        (block.size() - kFilterTailBytes) / kRibbonColumnBytes, facts.blocks);
  } else if (facts.kind != BlockKind::kEmpty) {
    facts.rate = 1;
  }
  return facts;
}

}  // namespace linebloom
