// Only in the shared library: loading it registers the policy, so that
// unmodified programs find it in option strings.
#include "linebloom/filter_policy.h"

namespace {

// RocksDB's library is a dependency of this one, so its registry exists.
__attribute__((constructor)) void RegisterOnLoad() {
  linebloom::RegisterFilterPolicy();
}

}  // namespace
