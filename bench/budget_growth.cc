// Measures how much of a memory budget the filters of a growing database take:
// writes rows and prints, whenever their number has grown by half, what
// RocksDB's own table properties say of the filters of all live files. A table
// for docs/benchmarks.md.
//
//   budget_growth random|in_order ROWS BUDGET FOLDER
//
// BUDGET is in bytes, or 25M. FOLDER must not exist and is removed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "bench/databases/data_block_reads.h"
#include "bench/databases/database.h"
#include "bench/databases/filter_watch.h"
#include "filter_policy/rocksdb/byte_count.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tools/numbers/mix.h"

namespace linebloom {
namespace {

constexpr uint64_t kFirstRows = 1'000'000;

class Growth {
 public:
  Growth(bool in_order, uint64_t rows, uint64_t budget, std::string folder)
      : in_order_(in_order),
        rows_(rows),
        budget_(static_cast<double>(budget)),
        folder_(std::move(folder)) {
    FilterPolicyOptions filter;
    filter.memory_budget = budget;
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(NewFilterPolicy(filter));
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.create_if_missing = true;
    options_.error_if_exists = true;
    options_.listeners = {NewLevelSizeListener(), watch_};
    // Small levels, so that 20 million rows make some.
    options_.write_buffer_size = 8 << 20;
    options_.target_file_size_base = 8 << 20;
    options_.max_bytes_for_level_base = 32 << 20;
    options_.max_background_jobs = 4;
    options_.compression = rocksdb::kNoCompression;
  }

  void Run() {
    db_ = OpenDatabase(options_, folder_);
    std::printf(
        "| rows | of the budget | at most since the last line, in so many "
        "trees "
        "| bits per key | files (without a filter) | reads per missing row |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: |\n");
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    uint64_t next = std::min(kFirstRows, rows_);
    for (uint64_t row = 0; row < rows_; ++row) {
      Check(db_->Put(write, Key(2 * row), "0123456789abcdef"));
      if (row + 1 < next) continue;
      PrintRow(row + 1);
      next = std::min(rows_, next + next / 2);
    }
    db_.reset();
  }

 private:
  std::string Key(uint64_t number) const {
    return KeyOf(in_order_ ? number : tools::Mix(number));
  }

  // Keys of no row, between those that are there.
  double ReadsPerMissingRow(uint64_t rows) {
    constexpr int kLookups = 50'000;
    const DataBlockReads reads;
    for (int i = 0; i < kLookups; ++i) {
      std::string value;
      db_->Get({}, Key(2 * (tools::Mix(i) % rows) + 1), &value);
    }
    return reads.count() / kLookups;
  }

  void PrintRow(uint64_t rows) {
    Check(db_->Flush({}));
    const FilterWatch::Seen seen = watch_->Take();
    Check(seen.status);
    const double reads = ReadsPerMissingRow(rows);
    LiveFilters filters;
    Check(ReadLiveFilters(db_.get(), db_->DefaultColumnFamily(), &filters));
    std::printf("| %llu | %.3f | %.3f, %zu | %.2f | %zu (%zu) | %.4f |\n",
                static_cast<unsigned long long>(rows), filters.bytes / budget_,
                seen.most_bytes / budget_, seen.trees, filters.bits_per_row(),
                filters.files, filters.without, reads);
    std::fflush(stdout);
  }

  const bool in_order_;
  const uint64_t rows_;
  const double budget_;
  const std::string folder_;
  const std::shared_ptr<FilterWatch> watch_ = std::make_shared<FilterWatch>();
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const std::string order = argc == 5 ? argv[1] : "";
  const uint64_t rows = argc == 5 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const auto budget = linebloom::ParseByteCount(argc == 5 ? argv[3] : "");
  if ((order != "random" && order != "in_order") || rows == 0 || !budget ||
      *budget == 0) {
    std::fprintf(stderr,
                 "usage: budget_growth random|in_order ROWS BUDGET FOLDER\n");
    return 2;
  }
  const linebloom::NewFolder folder(argv[4]);
  linebloom::Growth(order == "in_order", rows, *budget, folder.path()).Run();
}
