// Error messages for damaged SSTables.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace linebloom {

// "FILE: offset N: WHAT", where `what` says what was expected there and what
// was found.
inline std::string At(absl::string_view file, uint64_t offset,
                      absl::string_view what) {
  return absl::StrCat(file, ": offset ", offset, ": ", what);
}

// For bytes that contradict themselves or their checksum.
inline absl::Status DamageError(absl::string_view file, uint64_t offset,
                                absl::string_view what) {
  return absl::DataLossError(At(file, offset, what));
}

}  // namespace linebloom
