// What the figures of a comparison say beside themselves.
#pragma once

#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Adds to the problems of `report`, whose results and facts are complete, where
// the databases differ in more than their filters or rows were not found; and
// to its notes what else a reader should know. `expected` is the shape of
// --source_db, without files if there is none.
void AddFindings(const Shape& expected, Report* report);

}  // namespace linebloom::tools
