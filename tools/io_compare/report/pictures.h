// The pictures of a report.
#pragma once

#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/io_compare/report/report.h"
#include "tools/svg/figure.h"

namespace linebloom::tools {

std::vector<Figure> MakePictures(const Report& report);

// The page with all of it: pictures, text, and `json`, the report's.
std::string ReportAsHtml(const Report& report,
                         const std::vector<Figure>& pictures,
                         const nlohmann::ordered_json& json);

}  // namespace linebloom::tools
