// For LD_PRELOAD, alone or before liblinebloom_override.so: adds statistics to
// databases without them, and prints on stderr at the end how many data blocks
// were requested, in the block cache or not, and how often a filter avoided
// that. Includes data blocks requested by iterators.

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/override/next_function.h"
#include "filter_policy/override/opened_database.h"
#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/transaction_db.h"

namespace {

// For all databases together. Never freed, because RocksDB's threads may
// outlive main().
const std::shared_ptr<rocksdb::Statistics>& Counts() {
  static const auto* const counts =
      new std::shared_ptr<rocksdb::Statistics>(rocksdb::CreateDBStatistics());
  return *counts;
}

bool opened_any = false;

__attribute__((destructor)) void PrintCounts() {
  if (!opened_any) return;
  opened_any = false;
  const auto count = [](rocksdb::Tickers ticker) {
    return Counts()->getTickerCount(ticker);
  };
  // Whole keys, and prefixes, which iterators probe; RocksDB has separate
  // tickers for those since 8.3.
  uint64_t stopped = count(rocksdb::BLOOM_FILTER_USEFUL) +
                     count(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
#if LINEBLOOM_ROCKSDB_VERSION >= 803
  stopped += count(rocksdb::LAST_LEVEL_SEEK_FILTERED) +
             count(rocksdb::NON_LAST_LEVEL_SEEK_FILTERED);
#endif
  fprintf(stderr,
          "count_data_blocks: %" PRIu64 " data blocks, %" PRIu64
          " of them not in the block cache; a filter rejected %" PRIu64
          " times\n",
          count(rocksdb::BLOCK_CACHE_DATA_HIT) +
              count(rocksdb::BLOCK_CACHE_DATA_MISS),
          count(rocksdb::BLOCK_CACHE_DATA_MISS), stopped);
}

// In this case no destructors run: Debian 13's oxigraph ends with a failed
// assertion in RocksDB, and its balboa-rocksdb with the signal sent to it,
// whatever is loaded into them.
void PrintCountsAtSignal(int signal) {
  PrintCounts();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

rocksdb::DBOptions Counted(const rocksdb::DBOptions& options) {
  rocksdb::DBOptions counted = options;
  if (counted.statistics == nullptr) counted.statistics = Counts();
  opened_any = true;
  for (const int signal : {SIGABRT, SIGTERM}) {
    std::signal(signal, &PrintCountsAtSignal);
  }
  return counted;
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
  return next(Counted(options), name, families, handles, opened);
}

LINEBLOOM_EXPORT Status DB::OpenForReadOnly(const DBOptions& options,
                                            const std::string& name,
                                            const Families& families,
                                            Handles* handles, Opened opened,
                                            bool error_if_wal_file_exists) {
  static auto* const next = linebloom::NextFunction(
      static_cast<Status (*)(const DBOptions&, const std::string&,
                             const Families&, Handles*, Opened, bool)>(
          &DB::OpenForReadOnly));
  return next(Counted(options), name, families, handles, opened,
              error_if_wal_file_exists);
}

// Doesn't call DB::Open().
LINEBLOOM_EXPORT Status TransactionDB::Open(
    const DBOptions& options, const TransactionDBOptions& transaction_options,
    const std::string& name, const Families& families, Handles* handles,
    TransactionDB** opened) {
  static auto* const next = linebloom::NextFunction(
      static_cast<Status (*)(const DBOptions&, const TransactionDBOptions&,
                             const std::string&, const Families&, Handles*,
                             TransactionDB**)>(&TransactionDB::Open));
  return next(Counted(options), transaction_options, name, families, handles,
              opened);
}

}  // namespace ROCKSDB_NAMESPACE
