// The lines of filters: how many probes their keys have or how full they are,
// and what they add to the rate.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/line/line_contents.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/live_files.h"

namespace linebloom::tools {

// A line and where it is.
struct FoundLine {
  LiveFile file;
  std::optional<uint64_t> partition;  // nothing in a full filter
  uint64_t number = 0;                // in its filter or partition
  bool solved = false;
  LineContents contents;
};

// One of ten parts with equally many lines.
struct Tenth {
  double rate = 0;   // the mean of its lines
  double share = 0;  // of the rate of all lines together
};

struct LinesReport {
  std::string database;
  uint64_t files = 0;          // with lines
  uint64_t files_without = 0;  // with no filter or one without lines
  uint64_t lines = 0;
  uint64_t solved_lines = 0;
  double probes = 0;  // of a solved line's keys, the mean over these lines
  double fill = 0;    // share of bits set, the mean over all other lines
  double rate = 0;    // the mean of all lines' rates
  bool rate_is_exact = true;
  // How many solved lines have i / 2 to below (i + 1) / 2 probes per key. The
  // fewest are 2, so the first number is that of lines that match everything.
  std::array<uint64_t, 64> lines_by_half_probes = {};
  // How many other lines have a fill of i to below i + 1 percent; the last is
  // 100 %.
  std::array<uint64_t, 101> lines_by_fill = {};
  std::array<Tenth, 10> tenths = {};  // the worst lines first
  std::vector<FoundLine> worst;       // the highest rate first
  std::vector<std::string> notes;
  std::vector<std::string> problems;
  int exit_code = 0;
};

// Errors are those of listing the files, and Cancelled; InvalidArgument where
// no filter has lines.
absl::StatusOr<LinesReport> ReadLines(const FilterDumpConfig& config);

std::string LinesAsText(const LinesReport& report);
nlohmann::ordered_json LinesAsJson(const LinesReport& report);
std::string LinesAsSvg(const LinesReport& report);

// A bar of a histogram, with steps that are wide enough for few bars.
struct LinesBar {
  double from = 0;
  double to = 0;
  uint64_t lines = 0;
};
// Solved lines by probes per key, in steps of 1/2, 1 or 2. Lines that match
// everything have no bar.
std::vector<LinesBar> ProbeBars(const LinesReport& report);
// The other lines by percent of bits set, in steps of 1, 2 or 5.
std::vector<LinesBar> FillBars(const LinesReport& report);

// "1,234 solved lines, on average 9.8 probes per key".
std::string SolvedInWords(const LinesReport& report);
// "1,234 lines of bits, on average 51.0 % of them set".
std::string BitsInWords(const LinesReport& report);

}  // namespace linebloom::tools
