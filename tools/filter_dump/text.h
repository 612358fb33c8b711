// How filter_dump writes numbers and names in its tables.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "tools/filter_dump/live_files.h"

namespace linebloom::tools {

// The widest line that is printed.
inline constexpr size_t kTextWidth = 100;

// Up to 99,999 as it is, from there on with three digits: "123 k", "1.23 M".
std::string ShortCount(uint64_t number);

// The kind of line in linebloom's metadata, "solved" or "plain"; the number
// itself where this program does not know it.
std::string LineName(uint8_t line_kind);

// "linebloom solved", "12x RocksDB Bloom", "none".
std::string FilterName(const FileFacts& facts);

// A line's probes: "6", or "9.8" for a solved line.
std::string ProbesText(double probes, bool solved);

// Those of all lines, "6" or "7.2-12.9"; "-" for a filter without probes.
std::string ProbesText(const FileFacts& facts);

// Whether the lines are linebloom's solved ones.
bool HasSolvedLines(const BlockFacts& facts);

// The share of the lines' bits that are set; "-" for a filter without lines or
// with solved ones, of which it says nothing.
std::string FillText(const FileFacts& facts);

// Whether more was asked for than bits per key, the same for every level.
bool AskedSpecially(const FileFacts& facts);

// What the policy asked for: "10" bits per key or the rate "1%", with an "L"
// behind it where it depends on the level; "-" where it isn't known.
std::string AskedText(const FileFacts& facts);

// In percent; with "~" before an estimate, "?" where there is none.
std::string RateText(double rate, bool exact);
std::string RateText(const FileFacts& facts);

// What a file is called in the tables: its level and the end of its path.
std::string FileLabel(const LiveFile& file);

// A key as text and in hex: 'k1\x00' (6b3100).
std::string KeyText(absl::string_view key);

// Wrapped lines of a list: "- " before the first, blanks before the others.
std::string BulletText(absl::string_view sentence);

}  // namespace linebloom::tools
