// How a fuzz target says that the code broke its word.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace linebloom::testing {

// Ends the process, which a fuzzer takes for a finding, unless `kept`.
inline void Promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace linebloom::testing
