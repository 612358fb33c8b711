// Whether a file's filter is poor, and what a new one would be worth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/line/line.h"
#include "linebloom/rebuild_filters.h"

namespace linebloom {

// The filters that a column family's policy builds today.
struct WantedFilter {
  uint8_t version = kFilterBlockVersion;
  LineKind line = LineKind::kSolved;
  uint32_t millibits =
      10'000;  // thousandths of a bit per key; of a rate: about
  // What a new filter has at least: with level_aware it may have to be content
  // with the average. 0: as many as `millibits`.
  uint32_t least_millibits = 0;
  double asked_rate = 0;  // instead of bits; 0: bits
  double worst_rate = 0;  // RebuildFiltersOptions has the meaning
  uint64_t hash_seed = 0;
  bool whole_key_filtering = true;
  // SliceTransform::AsString(), by which RocksDB compares; empty: none.
  std::string prefix_extractor;
};

struct Verdict {
  // Nothing where the filter is as good as wanted.
  std::optional<RebuildReason> reason;
  double rate_after = 0;  // to be expected of a new filter
  // Whether a new filter would let fewer missing keys pass. Where there is a
  // reason and it does not pay the file stays as it is: a Ribbon filter, or one
  // with more bits than the policy has now.
  bool pays = false;
};

// A new filter that was built as `wanted` says never has a reason again, or
// files would be rewritten at every run.
Verdict Judge(const FileFacts& facts, const WantedFilter& wanted);

// "no filter" and so on.
absl::string_view ToString(RebuildReason reason);

}  // namespace linebloom
