// How a fuzz target reports that the code broke a promise.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace linebloom::testing {

// Unless `kept`, ends the process, which a fuzzer counts as a finding.
inline void Promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace linebloom::testing
