#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/facts_json.h"
#include "tools/filter_dump/verify/verify_report.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json MissingAsJson(const std::optional<MissingKeys>& missing) {
  if (!missing.has_value()) return nullptr;
  const Interval interval = missing->interval();
  return {{"probed", missing->probed},
          {"passed", missing->passed},
          {"false_positive_rate", missing->rate()},
          {"false_positive_rate_low", interval.low},
          {"false_positive_rate_high", interval.high},
          {"expected_false_positive_rate", missing->expected},
          {"expected_is_exact", missing->exact},
          {"expected_is_inside", missing->is_inside()}};
}

Json CheckAsJson(const FileCheck& check) {
  Json json = FactsAsJson(check.facts);
  json.update({{"rows_were_read", check.rows_were_read},
               {"bytes_read", check.bytes_read},
               {"entries", check.entries},
               {"keys_probed", check.keys_probed},
               {"prefixes_probed", check.prefixes_probed},
               {"denied", check.denied},
               {"first_denied", Json::array()},
               {"missing_keys", MissingAsJson(MissingKeysOf(check))},
               {"sound", check.sound()}});
  for (const DeniedKey& denied : check.first_denied) {
    json["first_denied"].push_back(
        {{"key_hex", absl::BytesToHexString(denied.key)},
         {"key", absl::CHexEscape(denied.key)},
         {"is_prefix", denied.is_prefix}});
  }
  return json;
}

}  // namespace

Json VerifyAsJson(const VerifyReport& report) {
  Json json = {{"command", "verify"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", Json::array()},
               {"sampled_files", report.files_with_rows_read()},
               {"missing_keys", MissingAsJson(report.missing_keys())},
               {"seconds", report.seconds}};
  for (const CheckedFile& checked : report.files) {
    Json file = FileAsJson(checked.file);
    if (checked.check.has_value()) file.update(CheckAsJson(*checked.check));
    json["files"].push_back(file);
  }
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
