// The files of a database as a picture.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/table.h"
#include "tools/svg/figure.h"

namespace linebloom::tools {

// A row for each level with a rectangle for each file, for every column family
// of every report, in that order.
std::vector<Figure> DrawTrees(const std::vector<TableReport>& reports);

// The page with those pictures, the text and `json`; `command` was typed.
std::string TreesAsHtml(const std::vector<TableReport>& reports,
                        const nlohmann::ordered_json& json,
                        const std::string& command);

}  // namespace linebloom::tools
