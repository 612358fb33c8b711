// The lines of filter blocks: linebloom's and those of RocksDB's Bloom filters.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter/built_in_filter.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/line_contents.h"

namespace linebloom {

using LineSink =
    absl::FunctionRef<void(uint64_t number, const LineContents& line)>;

// Calls `sink` for each of the `count` lines at the start of `block`. `shape`
// must be readable (IsReadable).
void ForEachLine(absl::string_view block, const LineShape& shape,
                 uint64_t count, LineSink sink);

// The same for a block of RocksDB's that is kBloom or kLegacyBloom. The rates
// of the lines are estimates.
void ForEachBuiltInLine(absl::string_view block, const BuiltInFilter& filter,
                        LineSink sink);

// The same for any kind of block. Returns false, without calling `sink`, if the
// block has no lines of a known kind.
bool ForEachLineOfAny(absl::string_view block, LineSink sink);

}  // namespace linebloom
