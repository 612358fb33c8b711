// Draws conclusions from the figures of a comparison.
#pragma once

#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Adds a problem to `report`, whose results and facts must be complete, if
// databases differ in more than their filters or rows were not found; and adds
// whatever else a reader should know to its notes. `expected` is the shape of
// --source_db, without files if there is none.
void AddFindings(const Shape& expected, Report* report);

}  // namespace linebloom::tools
