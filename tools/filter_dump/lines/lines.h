// How full the lines of filters are, and what they add to the rate.
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
  double fill = 0;  // share of bits set, of all lines
  double rate = 0;  // the mean of the lines' rates
  bool rate_is_exact = true;
  // How many lines have a fill of i to below i + 1 percent; the last is 100 %.
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

// The histogram's bars: steps of 1, 2 or 5 percent, so that they are not many.
struct FillBar {
  int from = 0;  // percent
  int to = 0;
  uint64_t lines = 0;
};
std::vector<FillBar> FillBars(const LinesReport& report);

}  // namespace linebloom::tools
