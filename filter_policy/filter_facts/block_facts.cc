#include "filter_policy/filter_facts/block_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filter_policy/filter/built_in_filter.h"
#include "filter_policy/filter_facts/block_lines.h"
#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "filter_policy/line/line_contents.h"

namespace linebloom {
namespace {

// Sums over the lines of a block.
class LineSums {
 public:
  void Add(const LineContents& line) {
    ++lines_;
    least_probes_ = std::min(least_probes_, line.probes);
    most_probes_ = std::max(most_probes_, line.probes);
    probes_ += line.probes;
    bits_set_ += line.bits_set;
    bits_ += line.bits;
    rates_ += line.rate;
  }

  // Requires at least one line.
  void Finish(BlockFacts* facts) const {
    const auto count = static_cast<double>(lines_);
    facts->lines = lines_;
    facts->least_probes = least_probes_;
    facts->most_probes = most_probes_;
    facts->mean_probes = probes_ / count;
    facts->fill = static_cast<double>(bits_set_) / static_cast<double>(bits_);
    facts->rate = rates_ / count;
  }

 private:
  uint64_t lines_ = 0;
  double least_probes_ = std::numeric_limits<double>::infinity();
  double most_probes_ = 0;
  double probes_ = 0;
  uint64_t bits_set_ = 0;
  uint64_t bits_ = 0;
  double rates_ = 0;
};

void ReadLinebloom(absl::string_view block, const ParsedFilterBlock& parsed,
                   BlockFacts* facts) {
  facts->info = parsed.info;
  facts->problem = parsed.problem;
  const LineShape shape = ShapeOf(parsed.info);
  if (parsed.kind == FilterBlockKind::kReadable && IsReadable(shape)) {
    facts->kind = BlockKind::kLinebloom;
    facts->shape = shape;
    LineSums sums;
    ForEachLine(
        block, shape, parsed.info.lines,
        [&sums](uint64_t, const LineContents& line) { sums.Add(line); });
    sums.Finish(facts);
    facts->line_bytes = kLineBytes;
    return;
  }
  facts->kind = BlockKind::kUnusable;
  facts->rate = 1;
  if (facts->problem == nullptr) facts->problem = "unknown kind of line";
}

void ReadBuiltInLines(absl::string_view block, const BuiltInFilter& filter,
                      BlockFacts* facts) {
  LineSums sums;
  ForEachBuiltInLine(
      block, filter,
      [&sums](uint64_t, const LineContents& line) { sums.Add(line); });
  sums.Finish(facts);
  facts->line_bytes = static_cast<int>(filter.line_bytes);
}

// Two keys with the same 32-bit hash share all bits.
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
      ReadBuiltInLines(block, filter, facts);
      break;
    case BuiltInFilterKind::kLegacyBloom:
      facts->kind = BlockKind::kLegacyBloom;
      ReadBuiltInLines(block, filter, facts);
      facts->rate = WithCollisions(facts->rate, keys);
      break;
    case BuiltInFilterKind::kRibbon:
      facts->kind = BlockKind::kRibbon;
      // A Ribbon filter's rate does not depend on its keys.
      facts->rate =
          BuiltInFilterRate(block.data(), block.size(), keys).value_or(1);
      break;
    case BuiltInFilterKind::kNoKeys:
      facts->kind = BlockKind::kEmpty;
      facts->rate = 0;
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

}  // namespace linebloom
