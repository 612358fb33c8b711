#include "tools/policies/built_filter.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "table/filter_locator.h"
#include "table/random_access.h"
#include "table/sst_file.h"
#include "tools/databases/quiet_logger.h"
#include "tools/databases/rocksdb_status.h"

namespace linebloom::tools {
namespace {

constexpr char kWhat[] = "cannot build a filter";

absl::StatusOr<std::string> BuildSst(
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
  std::string bytes;
  if (status.ok()) {
    status = rocksdb::ReadFileToString(memory.get(), path, &bytes);
  }
  if (!status.ok()) return FromRocksDb(status, kWhat);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> BuildFilterBlock(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t keys) {
  const absl::StatusOr<std::string> bytes = BuildSst(std::move(policy), keys);
  if (!bytes.ok()) return bytes.status();
  const auto file = SstFile::Open(WrapMemory("a table in memory", *bytes));
  if (!file.ok()) return file.status();
  const auto filter = LocateFilter(*file);
  if (!filter.ok()) return filter.status();
  if (filter->blocks.size() != 1) {
    return absl::InternalError(
        absl::StrFormat("%s: the table has %d", kWhat, filter->blocks.size()));
  }
  auto block = ReadFilterBlock(*file, filter->blocks.front());
  if (!block.ok()) return block.status();
  return std::move(block->payload);
}

}  // namespace linebloom::tools
