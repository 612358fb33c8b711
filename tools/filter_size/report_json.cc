#include "nlohmann/json.hpp"
#include "tools/filter_size/report.h"
#include "tools/shared/json_values.h"

namespace linebloom::tools {

using Json = nlohmann::ordered_json;

Json AnswersAsJson(const Question& question,
                   const std::vector<Answer>& answers) {
  Json json = {{"asked",
                {{"keys", OrNull(question.keys)},
                 {"rate", OrNull(question.rate)},
                 {"bytes", OrNull(question.bytes)},
                 {"bits_per_key", OrNull(question.bits_per_key)}}},
               {"filters", Json::array()}};
  for (const Answer& answer : answers) {
    Json filter = {{"filter", answer.name},
                   {"possible", answer.size.has_value()}};
    if (answer.size.has_value()) {
      filter.update({{"probes", OrNull(answer.size->probes)},
                     {"keys", answer.size->keys},
                     {"lines", OrNull(answer.size->lines)},
                     {"bits", answer.size->bits},
                     {"bytes", answer.size->bytes()},
                     {"bits_per_key", answer.size->bits_per_key()},
                     {"expected_false_positive_rate", answer.size->rate}});
    }
    json["filters"].push_back(filter);
  }
  return json;
}

}  // namespace linebloom::tools
