// To be loaded by LD_PRELOAD before liblinebloom_override.so, or alone: gives a
// database that has no statistics some and says on stderr at the end how many
// data blocks were asked for, be they in the block cache or not, and how often
// a filter spared that.

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/override/next_function.h"
#include "filter_policy/override/opened_database.h"
#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"

namespace {

// Of all databases together. Never freed: threads of RocksDB's may outlive
// main.
const std::shared_ptr<rocksdb::Statistics>& Counts() {
  static const auto* const counts =
      new std::shared_ptr<rocksdb::Statistics>(rocksdb::CreateDBStatistics());
  return *counts;
}

bool opened_any = false;

__attribute__((destructor)) void PrintCounts() {
  if (!opened_any) return;
  const auto count = [](rocksdb::Tickers ticker) {
    return Counts()->getTickerCount(ticker);
  };
  fprintf(stderr,
          "count_data_blocks: %" PRIu64 " data blocks, %" PRIu64
          " of them not in the block cache; a filter answered %" PRIu64
          " times\n",
          count(rocksdb::BLOCK_CACHE_DATA_HIT) +
              count(rocksdb::BLOCK_CACHE_DATA_MISS),
          count(rocksdb::BLOCK_CACHE_DATA_MISS),
          count(rocksdb::BLOOM_FILTER_USEFUL));
}

}  // namespace

namespace ROCKSDB_NAMESPACE {

using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;
using Opened = linebloom::OpenedDatabase;

LINEBLOOM_EXPORT Status DB::Open(const DBOptions& options,
                                 const std::string& name,
                                 const Families& families, Handles* handles,
                                 Opened opened) {
  static auto* const next = linebloom::NextFunction(
      static_cast<Status (*)(const DBOptions&, const std::string&,
                             const Families&, Handles*, Opened)>(&DB::Open));
  DBOptions counted = options;
  if (counted.statistics == nullptr) counted.statistics = Counts();
  opened_any = true;
  return next(counted, name, families, handles, opened);
}

}  // namespace ROCKSDB_NAMESPACE
