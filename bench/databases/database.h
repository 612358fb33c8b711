// What the benchmarks that grow databases of their own share. Errors end the
// program with exit code 2.
#pragma once

#include <errno.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

inline void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name,
               status.ToString().c_str());
  std::exit(2);
}

inline std::unique_ptr<rocksdb::DB> OpenDatabase(
    const rocksdb::Options& options, const std::string& folder) {
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, folder, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

// 16 bytes, in the order of the numbers.
inline std::string KeyOf(uint64_t number) {
  char key[17];
  std::snprintf(key, sizeof(key), "%016llx",
                static_cast<unsigned long long>(number));
  return {key, 16};
}

}  // namespace linebloom
