// The answers of filter_size as JSON, and text made of that.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/filter_size/answer.h"

namespace linebloom::tools {

nlohmann::ordered_json AnswersAsJson(const Question& question,
                                     const std::vector<Answer>& answers);

// That JSON for people: a table of at most 100 columns, and notes on it.
std::string AnswersAsText(const nlohmann::ordered_json& answers);

}  // namespace linebloom::tools
