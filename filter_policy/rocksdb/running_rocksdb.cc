#include "filter_policy/rocksdb/running_rocksdb.h"

#include <cstdio>

#include "rocksdb/version.h"

namespace linebloom {
namespace {

std::string CompareVersions() {
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  const std::string running = rocksdb::GetRocksVersionAsString();
  if (running.compare(0, built_for.size(), built_for) == 0) return "";
  std::string mismatch =
      "built for RocksDB " + built_for + "x but running in RocksDB " + running +
      "; the filter policy stays unregistered and builds and reads no filters. "
      "Build linebloom against the headers of that version.";
  fprintf(stderr, "linebloom: %s\n", mismatch.c_str());
  return mismatch;
}

}  // namespace

const std::string& RocksDbMismatch() {
  // Never destroyed: a program may make a policy while it ends.
  static const auto* const mismatch = new std::string(CompareVersions());
  return *mismatch;
}

}  // namespace linebloom
