// The footer: the last 53 bytes of an SSTable (48 in format_version 0), which
// lead to everything else in it. docs/sstable.md shows the layout.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "table/format.h"
#include "table/random_access.h"

namespace linebloom {

// The newest known layout of footer and blocks.
inline constexpr uint32_t kNewestFormatVersion = 7;

struct Footer {
  uint32_t format_version = 0;  // 0 to kNewestFormatVersion
  ChecksumType checksum_type = ChecksumType::kNone;
  uint32_t base_context_checksum = 0;  // 0 before format_version 6
  BlockHandle metaindex;               // ends before the footer
  uint64_t offset = 0;                 // of the footer's first byte
};

// Reads and checks the footer of `file`. Errors:
//   InvalidArgument  not a block-based SSTable: too short, or another kind of
//   file Unimplemented    a format_version or feature newer than this reader
//   DataLoss         damaged
// and those of reading the file.
absl::StatusOr<Footer> ReadFooter(const RandomAccess& file);

}  // namespace linebloom
