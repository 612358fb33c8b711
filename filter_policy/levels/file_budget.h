// How large a filter a file gets.
#pragma once

#include <optional>

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/levels/file_in_tree.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// The settings of the filter of the file that `context` speaks of; nothing
// where it gets none. `options` are valid. `file_of_thread` is what a level
// size listener left; it counts if it is of this file.
//
// With `level_aware` the file belongs to a sorted run:
//   with sizes      with as many keys as its level will have, as a compaction
//                   into level 0 reads, or as the last flush wrote; it gets no
//                   bits that would lift all filters of the tree, as they are,
//                   by more than a twentieth above the average;
//   with a listener that knows no sizes yet
//                   none: it gets the average;
//   without one     the last run of a full tree if RocksDB calls the file
//                   bottommost or no level is known (SstFileWriter); else the
//                   run one or two steps above it.
std::optional<FilterSettings> SettingsOfFile(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context,
    const std::optional<FileInTree>& file_of_thread);

}  // namespace linebloom
