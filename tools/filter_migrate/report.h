// The result of filter_migrate as text and as JSON.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"
#include "tools/filter_migrate/config.h"
#include "tools/filter_migrate/migrate.h"

namespace linebloom::tools {

std::string ReportAsText(const FilterMigrateConfig& config,
                         const MigrateReport& report);
nlohmann::ordered_json ReportAsJson(const FilterMigrateConfig& config,
                                    const MigrateReport& report);

}  // namespace linebloom::tools
