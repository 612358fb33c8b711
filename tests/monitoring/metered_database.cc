// An application that Prometheus watches: writes and looks up rows, and keeps
// its metrics in a file, which run.sh serves.
//
// Usage: metered_database DATABASE METRICS_FILE SECONDS

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "linebloom/filter_metrics.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace {

void Require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

rocksdb::Options MakeOptions() {
  linebloom::FilterPolicyOptions filter;
  filter.memory_budget = 1 << 20;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(linebloom::NewFilterPolicy(filter));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.stats_dump_period_sec = 2;  // for filter_dump
  options.write_buffer_size = 1 << 20;
  options.listeners.push_back(linebloom::NewLevelSizeListener());
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// Replaces the file in one step, as a scrape may come at any time.
void WriteMetrics(rocksdb::DB* db, const std::string& path) {
  linebloom::MeteredDatabase metered;
  metered.db = db;
  metered.name = "orders";
  std::string text;
  Require(linebloom::FilterMetrics({metered}, &text));
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: metered_database DATABASE METRICS_FILE SECONDS\n";
    return 2;
  }
  rocksdb::DB* opened = nullptr;
  Require(rocksdb::DB::Open(MakeOptions(), argv[1], &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[3]));
  std::string value;
  for (uint64_t i = 0; Clock::now() < end; i += 2) {
    // Multiplying by an odd number scatters keys and keeps even ones even.
    const auto key = [](uint64_t n) {
      return "order" + std::to_string(n * 0x9e3779b97f4a7c15);
    };
    Require(db->Put({}, key(i), std::string(50, 'v')));
    for (uint64_t n : {i / 8 * 2, i / 8 * 2 + 1, i + 1}) {
      const rocksdb::Status status = db->Get({}, key(n), &value);
      if (!status.IsNotFound()) Require(status);
    }
    if (i % 1000 == 0) WriteMetrics(db.get(), argv[2]);
  }
  WriteMetrics(db.get(), argv[2]);
  return 0;
}
