#include "nlohmann/json.hpp"
#include "tools/filter_dump/facts_json.h"
#include "tools/filter_dump/lines/lines.h"
#include "tools/shared/json_values.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json LineAsJson(const FoundLine& line) {
  const LineContents& contents = line.contents;
  Json json = FileAsJson(line.file);
  json.update({{"partition", OrNull(line.partition)},
               {"line", line.number},
               {"solved", line.solved},
               {"probes", contents.probes},
               {"bits_set", line.solved ? Json() : Json(contents.bits_set)},
               {"bits", line.solved ? Json() : Json(contents.bits)},
               {"false_positive_rate", contents.rate}});
  return json;
}

}  // namespace

Json LinesAsJson(const LinesReport& report) {
  const bool any_solved = report.solved_lines > 0;
  const bool any_of_bits = report.solved_lines < report.lines;
  Json json = {{"command", "lines"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", report.files},
               {"files_without_lines", report.files_without},
               {"lines", report.lines},
               {"solved_lines", report.solved_lines},
               {"probes", any_solved ? Json(report.probes) : Json()},
               {"fill", any_of_bits ? Json(report.fill) : Json()},
               {"false_positive_rate", report.rate},
               {"false_positive_rate_is_exact", report.rate_is_exact},
               {"lines_by_half_probes", report.lines_by_half_probes},
               {"lines_by_percent_of_bits_set", report.lines_by_fill},
               {"tenths", Json::array()},
               {"worst", Json::array()}};
  for (const Tenth& tenth : report.tenths) {
    json["tenths"].push_back(
        {{"false_positive_rate", tenth.rate}, {"share", tenth.share}});
  }
  for (const FoundLine& line : report.worst) {
    json["worst"].push_back(LineAsJson(line));
  }
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
