// Only where RocksDB's own build compiles linebloom: linebloom.mk names this
// function, and the registry of each program calls it before its first look-up.
#include <string>

#include "filter_policy/policy/registration.h"

extern "C" int linebloom_register(rocksdb::ObjectLibrary& library,
                                  const std::string& /*argument*/) {
  return linebloom::AddFactories(&library);
}
