// Formats files, their filters and numbers for filter_dump's reports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {

// The kind of line in linebloom's metadata, "solved" or "plain", or its number
// if this program doesn't know it.
std::string LineName(Line line);

// A line's probes: "6", or "9.8" for a solved line.
std::string ProbesText(double probes, bool solved);

// In percent; "~" marks estimates.
std::string RateText(double rate, bool exact);

// A file's name in the tables: its level and the end of its path.
std::string FileLabel(const nlohmann::ordered_json& file);

// A key as text and in hex: 'k1\x00' (6b3100).
std::string KeyText(absl::string_view key);

// Bars for `counts` from the first to the last that is not 0: the first of
// `steps` counts in each that gives at most `max_bars`, or the last. The last
// count is of the upper end alone. As JSON: `from` and `to`, in multiples of
// `unit`, and the sum `lines`.
nlohmann::ordered_json HistogramBars(const std::vector<uint64_t>& counts,
                                     std::initializer_list<size_t> steps,
                                     size_t max_bars, double unit);

// As JSON: `path` and, if the file has them, `column_family` and `level`.
nlohmann::ordered_json FileAsJson(const LiveFile& file);

// `rows`, `format_version`, and `filter`, which is null for a file without one.
nlohmann::ordered_json FactsAsJson(const FileFacts& facts);

}  // namespace linebloom::tools
