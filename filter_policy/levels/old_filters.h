// The size of a file's filter, from the properties that every SSTable has.
#pragma once

#include <string>

#include "rocksdb/env.h"
#include "rocksdb/table_properties.h"

namespace linebloom {

struct KnownFilter {
  double rows = 0;
  double keys = 0;  // and prefixes in the filter
  double bits = 0;
  // The keys that count for a memory budget: those in the filter or, if the
  // file has none although its column family has a filter policy, its rows.
  double budget_keys = 0;
};

KnownFilter FilterOf(const rocksdb::TableProperties& properties);

// The same, read from the file at `path` with one or two reads. A file that
// can't be read or isn't a block-based table counts as one without a filter.
KnownFilter ReadOldFilter(rocksdb::Env* env, const std::string& path);

}  // namespace linebloom
