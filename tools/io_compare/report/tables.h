// The tables of a report in text, each with what its columns say below it.
#pragma once

#include <string>

#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

inline constexpr size_t kReportWidth = 100;

// What was read from the disk, and how that compares.
std::string ReadsTable(const Report& report);

// Memory and false positives of the filters.
std::string FiltersTable(const Report& report);

// False positives by level. "" where no filter was asked.
std::string LevelTables(const Report& report);

// With --row_prefix, instead of the others.
std::string RowsTable(const Report& report);

std::string TimesTable(const Report& report);

}  // namespace linebloom::tools
