#include "filter_policy/rocksdb/running_rocksdb.h"

#include <cstdio>

#include "filter_policy/rocksdb/interface_check.h"
#include "rocksdb/version.h"

namespace linebloom {
namespace {

constexpr char kConsequence[] =
    "; the filter policy stays unregistered and builds and reads no filters. ";

std::string CompareVersions(const std::string& running) {
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  if (running.compare(0, built_for.size(), built_for) == 0) return "";
  return "built for RocksDB " + built_for + "x but running in RocksDB " +
         running + kConsequence +
         "Build linebloom against the headers of that version.";
}

// Checks versions first: with another version the interfaces may differ, so
// they must not be called.
std::string FindMismatch() {
  const std::string running = rocksdb::GetRocksVersionAsString();
  std::string mismatch = CompareVersions(running);
  if (mismatch.empty()) {
    const std::string wrong = CheckFilterInterfaces();
    if (wrong.empty()) return "";
    mismatch = "RocksDB " + running + " was asked for a filter and " + wrong +
               ": it has another filter interface than the RocksDB of that "
               "version" +
               kConsequence +
               "Build linebloom against the headers of this RocksDB, and "
               "compare its table/block_based/filter_policy_internal.h with "
               "filter_policy/rocksdb/declared_filter_bits.h.";
  }
  fprintf(stderr, "linebloom: %s\n", mismatch.c_str());
  return mismatch;
}

}  // namespace

const std::string& RocksDbMismatch() {
  // Never destroyed: a program may create a policy while it exits.
  static const auto* const mismatch = new std::string(FindMismatch());
  return *mismatch;
}

}  // namespace linebloom
