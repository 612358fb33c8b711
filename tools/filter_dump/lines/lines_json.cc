#include "nlohmann/json.hpp"
#include "tools/command_line/json_values.h"
#include "tools/filter_dump/facts_json.h"
#include "tools/filter_dump/lines/lines.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json LineAsJson(const FoundLine& line) {
  Json json = FileAsJson(line.file);
  json.update({{"partition", OrNull(line.partition)},
               {"line", line.number},
               {"probes", line.contents.probes},
               {"bits_set", line.contents.bits_set},
               {"bits", line.contents.bits},
               {"false_positive_rate", line.contents.rate}});
  return json;
}

}  // namespace

Json LinesAsJson(const LinesReport& report) {
  Json json = {{"command", "lines"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", report.files},
               {"files_without_lines", report.files_without},
               {"lines", report.lines},
               {"fill", report.fill},
               {"false_positive_rate", report.rate},
               {"false_positive_rate_is_exact", report.rate_is_exact},
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
