// What snippets of C++ take for granted; snippets.py makes a source file of
// them that includes this.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/c.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace linebloom::surroundings {

// Before a database is opened.
inline rocksdb::Options options;
inline rocksdb::BlockBasedTableOptions table;
inline rocksdb::BlockBasedTableOptions& table_options = table;

// Parsing option strings.
inline rocksdb::ConfigOptions config;
inline std::string text = "filter_policy=linebloom:10";
inline std::shared_ptr<rocksdb::TableFactory> factory;
inline rocksdb::DBOptions db_options;
inline rocksdb::ColumnFamilyOptions family_options;

// While it is open.
inline rocksdb::DB* db = nullptr;
inline std::vector<rocksdb::ColumnFamilyHandle*> handles;
inline std::atomic<bool> stopping = false;

// A snippet.
struct Statements {
  const char* name;  // from its page and line
  void (*run)();
  bool uses_db;
  bool has_policy;  // without its help
};

extern const std::vector<Statements> kAllStatements;

}  // namespace linebloom::surroundings
