// The metaindex: a block that says under which name which meta block lies
// where. Of them, this reads the filter and the properties.
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
  kPartitioned,  // one per range of keys, and an index over them
  // One per 2 KiB of data: RocksDB before 7.0. RocksDB since then ignores it.
  kObsoleteBlockBased,
};

// "full" and so on.
absl::string_view ToString(FilterKind kind);

struct Metaindex {
  FilterKind filter_kind = FilterKind::kNone;
  // The `CompatibilityName()` of the policy that wrote the filter, by which
  // RocksDB looks it up.
  std::string filter_family;
  BlockHandle filter;  // for kPartitioned, of the index over the partitions
  std::optional<BlockHandle> properties;
};

// DataLoss for a block that breaks the format, or names two filters or two
// property blocks. The handles are whatever the bytes say.
absl::StatusOr<Metaindex> ParseMetaindex(const Block& block);

}  // namespace linebloom
