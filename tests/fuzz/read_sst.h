// Reads an SSTable for the fuzz targets.
#pragma once

#include "absl/strings/string_view.h"

namespace linebloom::testing {

// Reads everything about the filter in an SSTable of these bytes, and ends the
// process if the reader breaks a promise of its headers.
void ReadWholeSst(absl::string_view bytes);

}  // namespace linebloom::testing
