// Computes the sizes of RocksDB's Ribbon filters.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "tools/filter_size/answer.h"
#include "tools/filter_size/question.h"

namespace linebloom::tools {

// Uses filters that RocksDB builds, with at most kMaxRibbonKeys keys. Larger
// filters are assumed to have the same bits per key and the same rate.
absl::StatusOr<std::optional<FilterSize>> SizeRibbon(const Question& question);

}  // namespace linebloom::tools
