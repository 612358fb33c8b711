#include "filter_policy/rebuild/data_blocks.h"

#include <memory>

#include "rocksdb/comparator.h"
#include "rocksdb/iterator.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::Status;

constexpr size_t kReadahead = 2 << 20;

// Keeps the check out of the application's statistics and block cache.
rocksdb::Options ReaderOptions(rocksdb::Options options) {
  auto table =
      *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table.filter_policy = nullptr;
  table.no_block_cache = true;
  table.block_cache = nullptr;
  table.cache_index_and_filter_blocks = false;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = nullptr;
  return options;
}

Status ReadAllRows(const rocksdb::Options& options,
                   rocksdb::SstFileReader* reader) {
  rocksdb::ReadOptions read;
  read.readahead_size = kReadahead;
  read.total_order_seek = true;
  read.fill_cache = false;
  // If the comparator has timestamps, this reads rows of all times.
  const std::string latest(options.comparator->timestamp_size(), '\xff');
  const rocksdb::Slice timestamp = latest;
  if (!latest.empty()) read.timestamp = &timestamp;
  const std::unique_ptr<rocksdb::Iterator> row(reader->NewIterator(read));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
  }
  return row->status();
}

}  // namespace

Status CheckDataBlocks(const rocksdb::Options& options, const std::string& path,
                       bool filter_block_is_damaged) {
  const rocksdb::Options reader_options = ReaderOptions(options);
  rocksdb::SstFileReader reader(reader_options);
  const Status opened = reader.Open(path);
  if (!opened.ok()) return opened;
  if (filter_block_is_damaged) return ReadAllRows(reader_options, &reader);
  rocksdb::ReadOptions read;
  read.readahead_size = kReadahead;
  return reader.VerifyChecksum(read);
}

}  // namespace linebloom
