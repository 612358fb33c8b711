// The sorted run that a new file will be part of.
#pragma once

#include <optional>
#include <vector>

#include "filter_policy/levels/file_in_tree.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// A sorted run and the tree it belongs to; sizes in keys.
struct Run {
  double keys;
  std::vector<double> tree;
};

bool IsFlush(const rocksdb::FilterBuildingContext& context);

// Uses what the listener left in `file` or, without a listener, the level
// alone. Nothing if there is a listener that doesn't know any sizes yet.
std::optional<Run> RunOf(const FilterPolicyOptions& options,
                         const rocksdb::FilterBuildingContext& context,
                         const std::optional<FileInTree>& file);

}  // namespace linebloom
