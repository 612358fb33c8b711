// The answers of filter_size as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/filter_size/answer.h"

namespace linebloom::tools {

// For people: a table of at most 100 columns, and notes on it.
std::string AnswersAsText(const Question& question,
                          const std::vector<Answer>& answers);

nlohmann::ordered_json AnswersAsJson(const Question& question,
                                     const std::vector<Answer>& answers);

}  // namespace linebloom::tools
