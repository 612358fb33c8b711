// Makes RocksDB report another version than the one that linebloom was built
// for. Linked into a program, or loaded by LD_PRELOAD before RocksDB.
#include <string>

#include "linebloom/export.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

// The minor number starts with the right digit, which must not be enough.
LINEBLOOM_EXPORT std::string GetRocksVersionAsString(bool /*with_patch*/) {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
         "7.1";
}

}  // namespace ROCKSDB_NAMESPACE
