// Formats files, their filters and numbers for filter_dump's reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {

// The maximum width of printed lines.
inline constexpr size_t kTextWidth = 100;

// Up to 99,999 in full, above that with three digits: "123 k", "1.23 M".
std::string ShortCount(uint64_t number);

// The kind of line in linebloom's metadata, "solved" or "plain", or its number
// if this program doesn't know it.
std::string LineName(Line line);

// "linebloom solved", "12x RocksDB Bloom", "none".
std::string FilterName(const FileFacts& facts);

// A line's probes: "6", or "9.8" for a solved line.
std::string ProbesText(double probes, bool solved);

// The range over all lines, "6" or "7.2-12.9"; "-" for a filter without probes.
std::string ProbesText(const FileFacts& facts);

// The share of the lines' bits that are set; "-" for filters without lines, and
// for solved lines, about which it says nothing.
std::string FillText(const FileFacts& facts);

// True if the request was other than bits per key that apply to every level.
bool AskedSpecially(const FileFacts& facts);

// The policy's request: "10" bits per key or the rate "1%", followed by "L" if
// it depends on the level; "-" if unknown.
std::string AskedText(const FileFacts& facts);

// In percent; "~" marks estimates, "?" means that there is none.
std::string RateText(double rate, bool exact);
std::string RateText(const FileFacts& facts);

// "-" for a filter that wasn't built by heat.
std::string HeatText(const std::optional<double>& heat);

// A file's name in the tables: its level and the end of its path.
std::string FileLabel(const LiveFile& file);

// A key as text and in hex: 'k1\x00' (6b3100).
std::string KeyText(absl::string_view key);

// A wrapped list item: "- " before the first line, blanks before the others.
std::string BulletText(absl::string_view sentence);

// As JSON: `path` and, if the file has them, `column_family` and `level`.
nlohmann::ordered_json FileAsJson(const LiveFile& file);

// `rows`, `format_version`, and `filter`, which is null for a file without one.
nlohmann::ordered_json FactsAsJson(const FileFacts& facts);

}  // namespace linebloom::tools
