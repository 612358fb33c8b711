#include "filter_policy/override/next_function.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace linebloom {

void* NextAddress(void* ours) {
  Dl_info info;
  const bool named = dladdr(ours, &info) != 0 && info.dli_sname != nullptr;
  void* const next = named ? dlsym(RTLD_NEXT, info.dli_sname) : nullptr;
  if (next != nullptr) return next;
  // Happens only if LD_PRELOAD did not load this library before RocksDB. The
  // program called a RocksDB function that doesn't exist, so there is no way to
  // continue.
  fprintf(stderr, "linebloom_override: found no %s in RocksDB\n",
          named ? info.dli_sname : "function");
  abort();
}

bool IsInThisLibrary(const void* address) {
  Dl_info there;
  Dl_info here;
  return dladdr(address, &there) != 0 &&
         dladdr(reinterpret_cast<void*>(&NextAddress), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

}  // namespace linebloom
