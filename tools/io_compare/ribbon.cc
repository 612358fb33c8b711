#include "tools/io_compare/ribbon.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "tools/quiet_logger.h"
#include "tools/rocksdb_status.h"

namespace linebloom::tools {
namespace {

// More keys make the answer no better: the size per key hardly changes.
constexpr uint64_t kMostKeys = 50'000;

// Builds one SSTable of `keys` keys in memory and returns its filter's bytes.
// (The filter builders themselves are not in RocksDB's public interface.)
absl::StatusOr<uint64_t> FilterBytes(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t keys) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.optimize_filters_for_memory = false;
  rocksdb::Options options;
  options.env = memory.get();
  options.info_log = std::make_shared<QuietLogger>();
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

  const std::string path = "/filter.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  rocksdb::Status status = writer.Open(path);
  for (uint64_t i = 0; i < keys && status.ok(); ++i) {
    status = writer.Put(absl::StrFormat("%016d", i), "");
  }
  if (status.ok()) status = writer.Finish();
  rocksdb::SstFileReader reader(options);
  if (status.ok()) status = reader.Open(path);
  if (!status.ok()) return FromRocksDb(status, "cannot build a filter");
  return reader.GetTableProperties()->filter_size;
}

}  // namespace

absl::StatusOr<double> RibbonBitsForMemory(double bits_per_key, uint64_t keys) {
  keys = std::clamp<uint64_t>(keys, 1, kMostKeys);
  const absl::StatusOr<uint64_t> wanted =
      FilterBytes(std::shared_ptr<const rocksdb::FilterPolicy>(
                      rocksdb::NewBloomFilterPolicy(bits_per_key)),
                  keys);
  if (!wanted.ok()) return wanted.status();
  double low = bits_per_key;
  double high = 2 * bits_per_key;
  while (high - low > 0.002 * bits_per_key) {
    const double middle = (low + high) / 2;
    const absl::StatusOr<uint64_t> bytes =
        FilterBytes(std::shared_ptr<const rocksdb::FilterPolicy>(
                        rocksdb::NewRibbonFilterPolicy(middle, -1)),
                    keys);
    if (!bytes.ok()) return bytes.status();
    (*bytes <= *wanted ? low : high) = middle;
  }
  return std::round(low * 1000) / 1000;
}

}  // namespace linebloom::tools
