// Only in the shared library: loading it registers the policy, so that an
// unmodified program finds it in its option strings.
#include "linebloom/filter_policy.h"

namespace {

// RocksDB's library is a dependency of this one, so its registry is there.
__attribute__((constructor)) void RegisterOnLoad() {
  linebloom::RegisterFilterPolicy();
}

}  // namespace
