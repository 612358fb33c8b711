// A column family whose filters are to be rebuilt.
#pragma once

#include <string>

#include "rebuild/judgement.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

struct Family {
  std::string name;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::Options options;
  WantedFilter wanted;
};

// What the policy in `options` builds. InvalidArgument, which names the column
// family, where it is not linebloom's, or where its files get no filters.
rocksdb::Status ReadWantedFilter(const std::string& family,
                                 const rocksdb::ColumnFamilyOptions& options,
                                 WantedFilter* wanted);

}  // namespace linebloom
