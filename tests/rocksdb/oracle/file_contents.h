// The contents of each SSTable, as RocksDB reports them while writing it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/table_properties.h"
#include "tests/rocksdb/policy.h"

namespace linebloom {

struct FileContents {
  Policy policy;  // the file was written with it
  // The keys of all rows, including tombstones and merge operands. True if a
  // lookup that finds the key here looks no further; merge operands alone are
  // not enough.
  std::unordered_map<std::string, bool> keys;
  std::vector<std::pair<std::string, std::string>> deleted_ranges;
};

// Keeps the entries written to each file in this process's memory, and a
// reference to them in the file's properties.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> RecordContents(
    const Policy& policy);

// The contents of a file written with RecordContents(); otherwise null.
std::shared_ptr<const FileContents> ContentsOf(
    const rocksdb::TableProperties& properties);

}  // namespace linebloom
