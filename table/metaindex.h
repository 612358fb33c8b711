// The metaindex: a block that maps names to meta blocks. This reads the entries
// of the filter and the properties.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/block_handle.h"

namespace linebloom {

enum class FilterKind {
  kNone,
  kFull,         // one filter for the whole file
  kPartitioned,  // one per range of keys, plus an index over them
  // One per 2 KiB of data, before RocksDB 7.0. Newer versions ignore it.
  kObsoleteBlockBased,
};

// For example "full".
absl::string_view ToString(FilterKind kind);

struct Metaindex {
  FilterKind filter_kind = FilterKind::kNone;
  // The CompatibilityName() of the policy that wrote the filter, which RocksDB
  // looks it up by.
  std::string filter_family;
  BlockHandle filter;  // for kPartitioned, the index over the partitions
  std::optional<BlockHandle> properties;
};

// DataLoss if the block breaks the format or names two filters or two property
// blocks. The handles are not checked.
absl::StatusOr<Metaindex> ParseMetaindex(const Block& block);

}  // namespace linebloom
