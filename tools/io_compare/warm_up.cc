#include "tools/io_compare/warm_up.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tools/shared/databases.h"
#include "tools/shared/interrupt.h"

namespace linebloom::tools {
namespace {

// Shared by all workers.
struct SharedLookups {
  rocksdb::DB* db;
  const WarmLookups& lookups;
  Progress* progress;
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> failed = false;
};

// Takes lookups until there are none left. The first worker runs in the main
// thread and also shows progress.
void TakeLookups(SharedLookups* shared, bool is_first, absl::Status* status) {
  constexpr uint64_t kAtOnce = 64;
  std::string key;
  rocksdb::PinnableSlice value;
  while (!shared->failed && !Interrupted()) {
    const uint64_t begin = shared->next.fetch_add(kAtOnce);
    if (begin >= shared->lookups.count) return;
    const uint64_t end = std::min(begin + kAtOnce, shared->lookups.count);
    for (uint64_t i = begin; i < end; ++i) {
      shared->lookups.Get(i, &key);
      value.Reset();
      const rocksdb::Status got =
          shared->db->Get({}, shared->db->DefaultColumnFamily(), key, &value);
      if (got.ok() || got.IsNotFound()) continue;
      *status = FromRocksDb(
          got, absl::StrCat("cannot look up '", absl::CEscape(key), "'"));
      shared->failed = true;
      return;
    }
    if (is_first) shared->progress->Update(end);
  }
}

}  // namespace

absl::Status WarmUp(rocksdb::DB* db, const WarmLookups& lookups,
                    uint32_t threads, Progress* progress) {
  progress->Begin("lookups to learn from", lookups.count);
  SharedLookups shared = {db, lookups, progress};
  std::vector<absl::Status> results(threads);
  std::vector<std::thread> others;
  for (uint32_t t = 1; t < threads; ++t) {
    others.emplace_back(TakeLookups, &shared, false, &results[t]);
  }
  TakeLookups(&shared, true, &results[0]);
  for (std::thread& other : others) other.join();
  for (const absl::Status& result : results) {
    if (!result.ok()) return result;
  }
  return CheckInterrupt();
}

absl::Status RewriteFiles(rocksdb::DB* db, const RowSource& rows,
                          Progress* progress) {
  std::map<int, std::vector<rocksdb::CompressionType>> compressions;
  for (const PlannedFile& file : rows.files()) {
    compressions[file.level].push_back(file.compression);
  }
  rocksdb::ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(&family);
  progress->Begin("rewriting files", rows.TotalEntries());
  uint64_t done = 0;
  for (const rocksdb::LevelMetaData& level : family.levels) {
    if (level.level == 0) continue;
    // Both are in the order of keys.
    const auto& planned = compressions[level.level];
    for (size_t i = 0; i < level.files.size(); ++i) {
      absl::Status status = CheckInterrupt();
      if (!status.ok()) return status;
      rocksdb::CompactionOptions options;  // no limit on the file size
      if (i < planned.size()) options.compression = planned[i];
      const rocksdb::SstFileMetaData& file = level.files[i];
      status = FromRocksDb(
          db->CompactFiles(options, {file.name}, level.level),
          absl::StrCat("cannot rewrite '", file.db_path, file.name, "'"));
      if (!status.ok()) return status;
      progress->Update(done += file.num_entries);
    }
  }
  return absl::OkStatus();
}

}  // namespace linebloom::tools
