// The tables of the text report, each followed by an explanation of its
// columns.
#pragma once

#include <string>

#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

inline constexpr size_t kReportWidth = 100;

// Reads from the disk, compared with each other.
std::string ReadsTable(const Report& report);

// Memory and false positives of the filters.
std::string FiltersTable(const Report& report);

// False positives by level. "" if no filter was probed.
std::string LevelTables(const Report& report);

// With --row_prefix, replaces the other tables.
std::string RowsTable(const Report& report);

std::string TimesTable(const Report& report);

}  // namespace linebloom::tools
