// A block of an SSTable as it is stored: payload, compression type, checksum.
// Those that describe the file (metaindex, properties, filters and their index)
// are never compressed.
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

// A payload, and where it came from for messages.
struct Block {
  std::string payload;
  uint64_t offset = 0;  // of the payload in the file
  std::string what;     // "metaindex"
  std::string file;

  // DataLoss that names file, offset in the file, and block.
  absl::Status Damage(uint64_t offset_in_payload,
                      absl::string_view message) const;
};

// Reads the block at `handle`, whatever it holds, and checks that it ends
// before the footer, is not compressed, and has the right checksum. DataLoss
// where one of them fails; no memory is taken before the first is checked.
// `what` is the block's name in messages.
absl::StatusOr<Block> ReadBlock(const RandomAccess& file, const Footer& footer,
                                const BlockHandle& handle,
                                absl::string_view what);

// The steps of ReadBlock, for blocks that need something between them.

// Payload and trailer of the block at `handle`.
absl::StatusOr<std::string> ReadStored(const RandomAccess& file,
                                       const Footer& footer,
                                       const BlockHandle& handle,
                                       absl::string_view what);

// Checks the trailer at the end of `stored`, which ReadStored returned, and
// takes it off.
absl::StatusOr<Block> CheckStored(const RandomAccess& file,
                                  const Footer& footer,
                                  const BlockHandle& handle,
                                  absl::string_view what, std::string stored);

}  // namespace linebloom
