// A program with RocksDB and its plugin linked into it: registers the plugin as
// RocksDB's build does, and has an option string find it.
//
//   program DATABASE_FOLDER
//
// Exit code 0: the plugin's filter answered for the missing rows.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "plugin.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/object_registry.h"

extern "C" int PLUGIN_FUNC(rocksdb::ObjectLibrary&, const std::string&);

namespace {

constexpr int kRows = 10000;

void Require(bool condition, const std::string& what) {
  if (condition) return;
  fprintf(stderr, "program: %s\n", what.c_str());
  exit(1);
}

void Require(const rocksdb::Status& status, const std::string& what) {
  Require(status.ok(), what + ": " + status.ToString());
}

std::string Key(int i) { return "row" + std::to_string(1000000 + i); }

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "usage: program DATABASE_FOLDER");
  const auto registry = rocksdb::ObjectRegistry::Default();
  Require(registry->RegisterPlugin(PLUGIN, PLUGIN_FUNC) == 2,
          "the plugin's function did not register two factories");

  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  rocksdb::Options options;
  Require(rocksdb::GetOptionsFromString(
              strict, {},
              "create_if_missing=true;listeners=linebloom_level_sizes;"
              "block_based_table_factory={filter_policy=linebloom:10}",
              &options),
          "the option string");
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::DB* opened = nullptr;
  Require(rocksdb::DB::Open(options, argv[1], &opened), "opening");
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (int i = 0; i < kRows; ++i) Require(db->Put({}, Key(2 * i), "value"), "");
  Require(db->Flush({}), "flushing");
  std::string value;
  for (int i = 0; i + 1 < kRows; ++i) {
    Require(db->Get({}, Key(2 * i), &value), Key(2 * i));
    Require(db->Get({}, Key(2 * i + 1), &value).IsNotFound(), Key(2 * i + 1));
  }
  const uint64_t useful =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  printf("of %d missing rows the filter answered %ju\n", kRows - 1,
         uintmax_t{useful});
  Require(useful >= kRows * 99 / 100, "the filter answered too few");
  return 0;
}
