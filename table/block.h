// A block of an SSTable as stored: payload, compression type, checksum. The
// blocks that describe the file (metaindex, properties, filters and their
// index) are never compressed.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block_handle.h"
#include "table/footer.h"
#include "table/random_access.h"

namespace linebloom {

// A payload, with its origin for messages.
struct Block {
  std::string payload;
  uint64_t offset = 0;  // of the payload in the file
  std::string what;     // "metaindex"
  std::string file;

  // DataLoss, naming the file, the offset in it and the block.
  absl::Status Damage(uint64_t offset_in_payload,
                      absl::string_view message) const;
};

// Reads the block at `handle`, whatever it contains, and checks that it ends
// before the footer, is not compressed, and has the right checksum. DataLoss if
// any check fails; memory is allocated only after the first. `what` names the
// block in messages.
absl::StatusOr<Block> ReadBlock(const RandomAccess& file, const Footer& footer,
                                const BlockHandle& handle,
                                absl::string_view what);

// The steps of ReadBlock, for callers that need to do something in between.

// Returns payload and trailer of the block at `handle`.
absl::StatusOr<std::string> ReadStored(const RandomAccess& file,
                                       const Footer& footer,
                                       const BlockHandle& handle,
                                       absl::string_view what);

// Checks the trailer at the end of `stored`, which ReadStored returned, and
// removes it.
absl::StatusOr<Block> CheckStored(const RandomAccess& file,
                                  const Footer& footer,
                                  const BlockHandle& handle,
                                  absl::string_view what, std::string stored);

}  // namespace linebloom
