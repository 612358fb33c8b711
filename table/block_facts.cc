#include "table/block_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

constexpr size_t kRibbonColumnBytes = 16;

// The share of missing keys whose bits are all set, in a line with the share
// `fill` of its bits set. Probes are products of one hash, yet as good as
// independent: docs/program.md, "Look into filters". Those of legacy filters
// are equidistant and may coincide, and more keys share a hash of 32 bits.
double BloomLineRate(double fill, const ParsedFilter& filter) {
  return std::pow(fill, filter.probes);
}

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

}  // namespace

void LineTotals::Add(const LineTotals& more) {
  if (more.lines == 0) return;
  min_probes =
      lines == 0 ? more.min_probes : std::min(min_probes, more.min_probes);
  max_probes = std::max(max_probes, more.max_probes);
  lines += more.lines;
  const double share = 1.0 * more.lines / lines;
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

bool ForEachLine(absl::string_view block, const ParsedFilter& filter,
                 LineSink sink) {
  if (filter.kind == BlockKind::kLinebloom) {
    const auto* const lines = reinterpret_cast<const uint8_t*>(block.data());
    for (uint64_t i = 0; i < filter.info.lines; ++i) {
      sink(i, ReadLine(filter.info.shape, lines + i * kLineBytes));
    }
    return true;
  }
  if (filter.kind != BlockKind::kLegacyBloom &&
      filter.kind != BlockKind::kBloom) {
    return false;
  }
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
    line.rate = BloomLineRate(line.fill(), filter);
    sink(i, line);
  }
  return true;
}

BlockFacts ReadBlockFacts(absl::string_view block) {
  BlockFacts facts{ParseFilter(block.data(), block.size()), {}};
  facts.bytes = block.size();
  if (facts.kind == BlockKind::kLinebloom) facts.line_bytes = kLineBytes;
  double rates = 0;
  const bool has_lines =
      ForEachLine(block, facts, [&](uint64_t, const LineContents& line) {
        facts.Add({1, line.probes, line.probes, line.probes, line.fill()});
        rates += line.rate;
      });
  if (has_lines) {
    facts.rate = rates / facts.lines;
  } else if (facts.kind == BlockKind::kRibbon) {
    facts.rate = RibbonRate(
        (block.size() - kFilterTailBytes) / kRibbonColumnBytes, facts.blocks);
  } else if (facts.kind != BlockKind::kEmpty) {
    facts.rate = 1;
  }
  return facts;
}

}  // namespace linebloom
