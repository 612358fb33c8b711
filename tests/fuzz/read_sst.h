// What the fuzz targets for SSTables do with their bytes.
#pragma once

#include "absl/strings/string_view.h"

namespace linebloom::testing {

// Reads all that there is to read about the filter in an SSTable of these
// bytes, and ends the process where the reader breaks a promise of its headers.
void ReadWholeSst(absl::string_view bytes);

}  // namespace linebloom::testing
