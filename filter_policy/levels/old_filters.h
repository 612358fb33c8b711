// What the filter of a file takes, by the properties that every SSTable has.
#pragma once

#include <string>

#include "rocksdb/env.h"
#include "rocksdb/table_properties.h"

namespace linebloom {

struct KnownFilter {
  double rows = 0;
  double keys = 0;  // and prefixes in the filter
  double bits = 0;
  // What the file asks for of a memory budget: the keys in its filter or, where
  // it has none though its column family has a filter policy, its rows.
  double budget_keys = 0;
};

KnownFilter FilterOf(const rocksdb::TableProperties& properties);

// The same of a file, with one or two reads. A file that can't be read, or is
// no block-based table, counts as one without a filter.
KnownFilter ReadOldFilter(rocksdb::Env* env, const std::string& path);

}  // namespace linebloom
