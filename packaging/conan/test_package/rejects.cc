// Calls nothing of linebloom's: the option string alone must find it.
#include <cstdio>
#include <memory>
#include <string>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"

int main() {
  constexpr int kRows = 10'000;
  rocksdb::Options options;
  rocksdb::Status status = rocksdb::GetOptionsFromString(
      rocksdb::ConfigOptions(), {},
      "create_if_missing=true;block_based_table_factory="
      "{filter_policy=linebloom:10}",
      &options);
  options.statistics = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db;
  if (status.ok()) {
    rocksdb::DB* opened = nullptr;
    status = rocksdb::DB::Open(options, "rejects.db", &opened);
    db.reset(opened);
  }
  for (int i = 0; status.ok() && i < kRows; ++i) {
    status = db->Put({}, std::to_string(2 * i), "row");
  }
  if (status.ok()) status = db->Flush({});
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::string row;
  for (int i = 0; i < kRows; ++i) db->Get({}, std::to_string(2 * i + 1), &row);
  const auto rejected =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  std::printf("%llu of %d missing rows rejected\n",
              static_cast<unsigned long long>(rejected), kRows);
  return rejected > kRows * 0.99 ? 0 : 1;
}
