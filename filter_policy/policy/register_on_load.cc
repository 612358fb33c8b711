// Loading a program or library that contains this registers the policy, so that
// option strings find it. It is in the shared libraries but that of
// RebuildFilters(), and in programs that link the archive by CMake or
// `pkg-config --static`: they name the function to the linker, which would
// leave it out.
#include "linebloom/filter_policy.h"

// RocksDB's library is a dependency of this one, or its registry is made at the
// first call, so it exists.
extern "C" __attribute__((constructor)) void linebloom_register_on_load() {
  linebloom::RegisterFilterPolicy();
}
