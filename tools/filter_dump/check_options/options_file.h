// The filter policies that an options file of RocksDB's names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

struct FamilyInFile {
  std::string column_family;
  // The value of filter_policy as it stands in the file; empty without one.
  std::string named;
  // The policy that RocksDB loads; null for no filter.
  std::shared_ptr<const rocksdb::FilterPolicy> loaded;
};

struct OptionsFile {
  rocksdb::DBOptions database;
  std::vector<FamilyInFile> families;  // all of them
};

// InvalidArgument, with RocksDB's message, if
// it can't load the file.
absl::StatusOr<OptionsFile> ReadOptionsFile(const std::string& path);

}  // namespace linebloom::tools
