// Facts about a filter block of any kind: lines, expected rate.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// For example "RocksDB Bloom".
absl::string_view ToString(BlockKind kind);

// Lines of any size together.
struct LineTotals {
  void Add(const LineTotals& more);

  uint64_t lines = 0;
  double min_probes = 0;
  double max_probes = 0;
  double mean_probes = 0;  // over the lines
  double fill = 0;         // share of set bits, 0 to 1
};

struct BlockFacts : ParsedFilter, LineTotals {
  uint64_t bytes = 0;

  // The false-positive rate. 1 if the block rejects nothing. Of kLegacyBloom
  // only a lower limit.
  double rate = 0;

  // True if the rate comes from the block's bits alone, without assumptions.
  bool rate_is_exact() const {
    return kind == BlockKind::kLinebloom || kind == BlockKind::kBloom ||
           kind == BlockKind::kEmpty;
  }

  bool has_solved_lines() const {
    return kind == BlockKind::kLinebloom &&
           info.request.line == LineKind::kSolved;
  }
};

BlockFacts ReadBlockFacts(absl::string_view block);

// Calls `sink` for each line of linebloom's blocks and of RocksDB's Bloom
// filters; the rates of legacy ones are lower limits. `filter` is what the
// block parses as. Returns false, without calling `sink`, if it has no lines.
using LineSink =
    absl::FunctionRef<void(uint64_t number, const LineContents& line)>;
bool ForEachLine(absl::string_view block, const ParsedFilter& filter,
                 LineSink sink);

}  // namespace linebloom
