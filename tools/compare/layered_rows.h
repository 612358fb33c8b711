// Generated rows, for a comparison without a database.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// Each run of LayOutRows() gets exactly its share of this many consecutive
// rows.
inline constexpr uint64_t kSharesOfAllRuns = 447;

// About what so many rows take.
uint64_t BytesOfRows(uint64_t rows);

// Makes a database in `folder`, which must not exist, without filters and with
// six sorted runs: three files in level 0, and levels 1 to 3, each ten times as
// large as the one above, over the whole range of keys.
//
// Their keys are NumberedKeys(); there are at least 2 * kSharesOfAllRuns rows.
// Cancelled after a signal.
absl::Status LayOutRows(uint64_t rows, uint64_t seed, const std::string& folder,
                        Progress* progress);

}  // namespace linebloom::tools
