// A column family's files as the model has them.
#pragma once

#include "filter_policy/bits/read_model.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/options.h"

namespace linebloom {

// The runs of a tree, the newest first; leveled trees at rest. All files keep
// their filters. Renews unless its column family has no filter policy.
read_model::Tree ModelOf(const TreeState& tree, rocksdb::CompactionStyle style);

}  // namespace linebloom
