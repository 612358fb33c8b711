// Decides how large a file's filter is.
#pragma once

#include <optional>

#include "filter_policy/levels/file_in_tree.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// Returns how to build the filters of the file that `context` describes;
// nothing if it gets none. `options` must be valid and without a memory_budget.
// `file_of_thread` comes from the level size listener and is ignored if it
// describes another file.
//
// With `level_aware`, the file belongs to a sorted run:
//   sizes known     The run has as many keys as its level will have, as a
//                   compaction into level 0 reads, or as the last flush wrote.
//                   The file gets no bits that would lift the average over all
//                   filters of the tree, as they are, more than a twentieth
//                   above the requested one.
//   listener without sizes
//                   The file gets the average.
//                With `heat_aware`, each of its filters gets bits by the heat
//                of its keys too.
//   no listener     The last run of a full tree, if RocksDB calls the file
//                   bottommost or its level is unknown (SstFileWriter);
//                   otherwise the run one or two steps above it.
std::optional<FilterPlan> PlanOfFile(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context,
    const std::optional<FileInTree>& file_of_thread);

}  // namespace linebloom
