// The lines of filters: how many probes their keys have or how full they are,
// and how much they contribute to the rate.
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
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {

// A line and its position.
struct FoundLine {
  LiveFile file;
  std::optional<uint64_t> partition;  // nothing for a full filter
  uint64_t number = 0;                // within its filter or partition
  bool solved = false;
  LineContents contents;
};

// One of ten parts with equal numbers of lines.
struct Tenth {
  double rate = 0;   // the mean over its lines
  double share = 0;  // of the rate of all lines
};

struct LinesReport {
  std::string database;
  uint64_t files = 0;  // files with lines
  uint64_t files_without =
      0;  // files without a filter, or with one without lines
  uint64_t lines = 0;
  uint64_t solved_lines = 0;
  double probes = 0;  // per key of solved lines: the mean over these lines
  double fill = 0;    // share of set bits: the mean over all other lines
  double rate = 0;    // the mean over all lines
  bool rate_is_exact = true;
  // How many solved lines have from i / 2 to less than (i + 1) / 2 probes per
  // key. The minimum is 2, so element 0 counts the lines that match everything.
  std::array<uint64_t, 64> lines_by_half_probes = {};
  // How many other lines are from i to less than i + 1 percent full; the last
  // element is for 100 %.
  std::array<uint64_t, 101> lines_by_fill = {};
  std::array<Tenth, 10> tenths = {};  // the worst lines first
  std::vector<FoundLine> worst;       // the highest rate first
  std::vector<std::string> notes;
  std::vector<std::string> problems;
  int exit_code = 0;
};

// Errors are those of listing the files, and Cancelled; InvalidArgument if no
// filter has lines.
absl::StatusOr<LinesReport> ReadLines(const FilterDumpConfig& config);

nlohmann::ordered_json LinesAsJson(const LinesReport& report);
std::string LinesAsText(const nlohmann::ordered_json& report);

// A bar of a histogram, whose step is wide enough to keep the number of bars
// low.
struct LinesBar {
  double from = 0;
  double to = 0;
  uint64_t lines = 0;
};
// Solved lines by probes per key, in steps of 1/2, 1 or 2. Omits lines that
// match everything.
std::vector<LinesBar> ProbeBars(const LinesReport& report);
// The other lines by percentage of set bits, in steps of 1, 2 or 5.
std::vector<LinesBar> FillBars(const LinesReport& report);

}  // namespace linebloom::tools
