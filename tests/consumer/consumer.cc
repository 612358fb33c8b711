// A program as a user would write it: opens a database with linebloom's policy
// and looks up rows. With STRINGS_ALONE it knows linebloom by an option string:
// it includes no header of ours and calls nothing of ours. Without, it also
// sets the policy from C++. With WITH_REBUILD, it switches a database over from
// RocksDB's Bloom filter, including its files. With AS_PLUGIN, it first
// registers the plugin that is linked into it, as RocksDB's build does.
//
// Usage: consumer DATABASE_FOLDER. Exits with 0 if every answer was right.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#ifndef STRINGS_ALONE
#include "linebloom/filter_policy.h"
#endif
#ifdef WITH_REBUILD
#include "linebloom/level_size_listener.h"
#include "linebloom/rebuild_filters.h"
#endif
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#ifdef AS_PLUGIN
#include "rocksdb/utilities/object_registry.h"

extern "C" int linebloom_register(rocksdb::ObjectLibrary&, const std::string&);
#endif

namespace {

constexpr int kRows = 10000;

// The key of row `i`. Odd rows are never written and lie between two that are.
std::string Key(int i) { return "row" + std::to_string(1000000 + i); }

void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::cerr << "consumer: " << what << "\n";
  std::exit(1);
}

void Require(const rocksdb::Status& status, const std::string& what) {
  Require(status.ok(), what + ": " + status.ToString());
}

rocksdb::Options WithString(const rocksdb::Options& base,
                            const std::string& text) {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::Options options;
  Require(rocksdb::GetOptionsFromString(config, base, text, &options), text);
  return options;
}

rocksdb::Options FromString() {
  rocksdb::Options options =
      WithString({},
                 "create_if_missing=true;listeners=linebloom_level_sizes;"
                 "block_based_table_factory={filter_policy=linebloom:10}");
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

void LookUpRows(rocksdb::DB* db) {
  std::string value;
  for (int i = 0; i < kRows; ++i) {
    const std::string present = Key(2 * i);
    Require(db->Get(rocksdb::ReadOptions(), present, &value), present);
    Require(value == present, "wrong value for " + present);
    // The last odd key is beyond the file's last row, so no filter is probed.
    const std::string missing = Key(2 * i + 1);
    Require(db->Get(rocksdb::ReadOptions(), missing, &value).IsNotFound(),
            missing + " was found");
  }
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options,
                                  const std::string& path) {
  rocksdb::DB* db = nullptr;
  Require(rocksdb::DB::Open(options, path, &db), "opening " + path);
  return std::unique_ptr<rocksdb::DB>(db);
}

std::unique_ptr<rocksdb::DB> Write(const rocksdb::Options& options,
                                   const std::string& path) {
  Require(rocksdb::DestroyDB(path, options), "removing " + path);
  auto db = Open(options, path);
  for (int i = 0; i < kRows; ++i) {
    const std::string key = Key(2 * i);
    Require(db->Put(rocksdb::WriteOptions(), key, key), "writing " + key);
  }
  Require(db->Flush(rocksdb::FlushOptions()), "flushing");
  return db;
}

// RocksDB's own filters of 10 bits let about 95 missing rows pass.
void WriteAndLookUp(const rocksdb::Options& options, const std::string& path) {
  const auto db = Write(options, path);
  LookUpRows(db.get());
  const uint64_t rejected =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  Require(rejected >= kRows - kRows / 200 && rejected < kRows,
          "the filter rejected " + std::to_string(rejected));
  Require(db->Close(), "closing " + path);
}

#ifndef STRINGS_ALONE
rocksdb::Options WithPolicy(const rocksdb::FilterPolicy* policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}
#endif

#ifdef WITH_REBUILD
// A level-aware policy and its listener, one from an option string and one from
// C++.
rocksdb::Options WithListener(bool listener_by_string) {
  linebloom::FilterPolicyOptions level_aware;
  level_aware.bits_per_key = 10;
  level_aware.level_aware = true;
  if (listener_by_string) {
    return WithString(WithPolicy(linebloom::NewFilterPolicy(level_aware)),
                      "listeners=linebloom_level_sizes");
  }
  rocksdb::Options options =
      WithString({},
                 "block_based_table_factory={filter_policy="
                 "{id=linebloom;bits_per_key=10;level_aware=true}}");
  options.listeners.push_back(linebloom::NewLevelSizeListener());
  return options;
}

std::string LogOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path + "/LOG").rdbuf();
  return text.str();
}

void Rebuild(const std::string& path) {
  for (const bool listener_by_string : {false, true}) {
    Write(WithPolicy(rocksdb::NewBloomFilterPolicy(10)), path);
    const auto db = Open(WithListener(listener_by_string), path);
    linebloom::RebuildFiltersReport report;
    Require(linebloom::RebuildFilters(db.get(), {}, nullptr, &report),
            "rebuilding");
    Require(report.files.size() == 1 && report.bytes_rewritten > 0,
            "the file was not rewritten");
    LookUpRows(db.get());
    // It would be, if another copy of the library had made the listener.
    Require(LogOf(path).find("linebloom_level_sizes") == std::string::npos,
            "the listener is missing");
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "usage: consumer DATABASE_FOLDER");
#ifdef AS_PLUGIN
  Require(rocksdb::ObjectRegistry::Default()->RegisterPlugin(
              "linebloom", linebloom_register) == 2,
          "the plugin's function did not register two factories");
#endif
  WriteAndLookUp(FromString(), argv[1]);
#ifndef STRINGS_ALONE
  WriteAndLookUp(WithPolicy(linebloom::NewFilterPolicy(10)), argv[1]);
#endif
#ifdef WITH_REBUILD
  Rebuild(argv[1]);
#endif
  return 0;
}
