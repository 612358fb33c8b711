// The result of filter_migrate as JSON, and text made of that.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"
#include "tools/filter_migrate/config.h"
#include "tools/filter_migrate/migrate.h"

namespace linebloom::tools {

nlohmann::ordered_json ReportAsJson(const FilterMigrateConfig& config,
                                    const MigrateReport& report);
std::string ReportAsText(const nlohmann::ordered_json& report);

}  // namespace linebloom::tools
