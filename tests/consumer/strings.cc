// A program that knows linebloom by an option string alone: it includes no
// header of ours and calls nothing of ours, and like most programs it lets
// RocksDB drop a policy that RocksDB doesn't know.
//
// Usage: strings DATABASE_FOLDER. Prints how many of 100,000 missing keys the
// filters rejected, and exits with 0 if those are linebloom's filters.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"

namespace {

constexpr int kMissing = 100'000;

// Row `i` has key `2 * i`, so that the keys between two rows are missing.
std::string Key(int i) { return std::to_string(1'000'000 + i); }

bool Failed(const rocksdb::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return !status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  rocksdb::Options options;
  if (Failed(rocksdb::GetOptionsFromString(
          rocksdb::Options(),
          "create_if_missing=true;"
          "block_based_table_factory={filter_policy=linebloom:10}",
          &options))) {
    return 2;
  }
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::DB* opened = nullptr;
  if (Failed(rocksdb::DestroyDB(argv[1], options)) ||
      Failed(rocksdb::DB::Open(options, argv[1], &opened))) {
    return 2;
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (int i = 0; i <= kMissing; ++i) {
    if (Failed(db->Put({}, Key(2 * i), "value"))) return 2;
  }
  if (Failed(db->Flush({}))) return 2;
  std::string value;
  for (int i = 0; i < kMissing; ++i) {
    if (!db->Get({}, Key(2 * i + 1), &value).IsNotFound()) return 2;
  }
  const uint64_t rejected =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  std::printf("rejected %llu of %d missing keys\n",
              static_cast<unsigned long long>(rejected), kMissing);
  // RocksDB's own filters of 10 bits let about 900 pass.
  return rejected > kMissing - 300 && rejected < kMissing ? 0 : 1;
}
