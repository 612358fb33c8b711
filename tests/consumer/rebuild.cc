// A program as a user would write it: switches a database over from RocksDB's
// Bloom filter, including its files.
//
// Usage: rebuild DATABASE_FOLDER. Exits with 0 if the file was rewritten.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace {

void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::cerr << "rebuild: " << what << "\n";
  std::exit(1);
}

void Require(const rocksdb::Status& status, const std::string& what) {
  Require(status.ok(), what + ": " + status.ToString());
}

std::unique_ptr<rocksdb::DB> Open(const std::string& path,
                                  const rocksdb::FilterPolicy* policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db = nullptr;
  Require(rocksdb::DB::Open(options, path, &db), "opening " + path);
  return std::unique_ptr<rocksdb::DB>(db);
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "usage: rebuild DATABASE_FOLDER");
  const std::string path = argv[1];
  Require(rocksdb::DestroyDB(path, rocksdb::Options()), "removing " + path);
  {
    const auto db = Open(path, rocksdb::NewBloomFilterPolicy(10));
    for (int i = 0; i < 10000; ++i) {
      Require(db->Put(rocksdb::WriteOptions(), std::to_string(i), "value"),
              "writing");
    }
    Require(db->Flush(rocksdb::FlushOptions()), "flushing");
  }
  const auto db = Open(path, linebloom::NewFilterPolicy(10));
  linebloom::RebuildFiltersReport report;
  Require(linebloom::RebuildFilters(db.get(), {}, nullptr, &report),
          "rebuilding");
  Require(report.files.size() == 1 && report.bytes_rewritten > 0,
          "the file was not rewritten");
  std::string value;
  Require(db->Get(rocksdb::ReadOptions(), "1234", &value), "reading");
  return 0;
}
