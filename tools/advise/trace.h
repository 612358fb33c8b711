// Lookups that a database recorded.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "tools/advise/skew.h"
#include "tools/compare/keys.h"

namespace linebloom::tools {

struct Trace {
  KeyList keys;           // of lookups in the default column family, in order
  uint64_t existing = 0;  // of them
  // How many operations were of which kind, and which of them are left out.
  uint64_t gets = 0;
  uint64_t multigets = 0;
  uint64_t seeks = 0;
  uint64_t writes = 0;
  uint64_t other = 0;  // of other column families, and of unknown kinds

  std::string InWords() const;

  // Of all lookups, by the bytes of the rows in the files of `db`.
  absl::StatusOr<Skew> SkewIn(rocksdb::DB* db) const;
};

// Reads a file that DB::StartTrace() wrote, by RocksDB's Replayer, and looks
// its keys up in `db` to learn which exist. InvalidArgument, naming `path`, if
// it is no trace, of another version, cut off, or has no lookups in the default
// column family.
absl::StatusOr<Trace> ReadTrace(const std::string& path, rocksdb::DB* db);

}  // namespace linebloom::tools
