// Declares what the C++ snippets of the documentation use without declaring it.
// snippets.py makes a source file of them that includes this.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace linebloom::surroundings {

// Before a database is opened.
inline rocksdb::Options options;
inline rocksdb::BlockBasedTableOptions table;
inline rocksdb::BlockBasedTableOptions table_options;

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
inline linebloom::FilterStatsByLevel sum;
inline const std::string url = "file:///usr";
inline std::string value;

// A snippet of statements.
struct Statements {
  const char* name;  // from its page and line
  void (*run)();
  bool uses_db;
};

inline std::ostream& operator<<(std::ostream& out, const Statements& snippet) {
  return out << snippet.name;
}

const std::vector<Statements>& AllStatements();

}  // namespace linebloom::surroundings
