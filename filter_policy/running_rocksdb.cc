#include "filter_policy/running_rocksdb.h"

#include <cstdio>
#include <string>

#include "rocksdb/version.h"

namespace linebloom {
namespace {

bool CompareVersions() {
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  const std::string running = rocksdb::GetRocksVersionAsString();
  if (running.compare(0, built_for.size(), built_for) == 0) return true;
  fprintf(stderr,
          "linebloom: built for RocksDB %sx but loaded into RocksDB %s; the "
          "filter policy stays unregistered. Build linebloom against the "
          "headers of that version.\n",
          built_for.c_str(), running.c_str());
  return false;
}

}  // namespace

// The interfaces in rocksdb_filter_bits.h are right for the RocksDB that this
// was compiled with and nothing checks them at run time: in another one, calls
// could land in the wrong function. So rather not be there at all.
bool RunsInTheRocksDbItWasBuiltFor() {
  static const bool same = CompareVersions();
  return same;
}

}  // namespace linebloom
