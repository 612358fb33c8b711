// Measures what heat-aware filters save while a database is written and its hot
// range moves: looks missing rows up, 80 % of them in a fifth of the keys,
// overwrites rows meanwhile, and then looks elsewhere. Prints a table for
// docs/benchmarks.md.
//
//   heat_moves ROWS HALF_LIFE FOLDER
//
// HALF_LIFE is heat_half_life in seconds. FOLDER must not exist and is removed.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/databases/data_block_reads.h"
#include "bench/databases/database.h"
#include "bench/databases/filter_watch.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tools/numbers/mix.h"

namespace linebloom {
namespace {

constexpr int kSteps = 16;  // with the hot range in each of two places
constexpr uint64_t kLookupsOfAStep = 500'000;
constexpr uint64_t kStepsToOverwriteAll = 8;
constexpr double kHotKeys = 0.2;
constexpr double kHotLookups = 0.8;
constexpr uint64_t kStride = 64;  // numbers between the keys of two rows

// Counts compactions that write files.
class CompactionCount : public rocksdb::EventListener {
 public:
  void OnCompactionCompleted(rocksdb::DB* /*db*/,
                             const rocksdb::CompactionJobInfo& job) override {
    if (job.input_files == job.output_files) return;  // a trivial move
    ++compactions;
    bytes += job.stats.total_output_bytes;
  }

  std::atomic<uint64_t> compactions = 0;
  std::atomic<uint64_t> bytes = 0;  // written
};

class Database {
 public:
  Database(const std::string& policy, const std::string& folder) {
    rocksdb::BlockBasedTableOptions table;
    Check(rocksdb::FilterPolicy::CreateFromString({}, policy,
                                                  &table.filter_policy));
    table.block_cache = rocksdb::NewLRUCache(64 << 10);
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.create_if_missing = true;
    options.listeners = {NewLevelSizeListener(), count_};
    // Small levels, so that some million rows make several.
    options.write_buffer_size = 1 << 20;
    options.target_file_size_base = 1 << 20;
    options.max_bytes_for_level_base = 4 << 20;
    options.level_compaction_dynamic_level_bytes = false;
    options.compression = rocksdb::kNoCompression;
    options.max_open_files = -1;
    db_ = OpenDatabase(options, folder);
  }

  void Write(uint64_t row) {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    Check(db_->Put(options, KeyOf(kStride * row), std::string(40, 'v')));
  }

  // Flushes, and waits until RocksDB has nothing left to compact.
  void Settle() {
    Check(db_->Flush({}));
    for (int quiet = 0; quiet < 5; ++quiet) {
      for (const std::string& property :
           {rocksdb::DB::Properties::kCompactionPending,
            rocksdb::DB::Properties::kNumRunningCompactions}) {
        uint64_t value = 0;
        if (!db_->GetIntProperty(property, &value) || value > 0) quiet = 0;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // Data blocks read per lookup.
  double LookUp(uint64_t rows, double hot_begin, uint64_t seed) {
    const DataBlockReads reads;
    rocksdb::PinnableSlice value;
    for (uint64_t i = 0; i < kLookupsOfAStep; ++i) {
      const uint64_t random = tools::Mix(seed, i);
      const double at = tools::MixedShare(tools::Mix(random, 1));
      const bool is_hot = tools::MixedShare(random) < kHotLookups;
      // Outside the hot range, the part after it continues before it.
      double place = is_hot ? hot_begin + kHotKeys * at
                            : hot_begin + kHotKeys + (1 - kHotKeys) * at;
      if (place >= 1) place -= 1;
      const auto row = static_cast<uint64_t>(place * static_cast<double>(rows));
      const uint64_t between = 1 + tools::Mix(random, 2) % (kStride - 1);
      value.Reset();
      const rocksdb::Status status =
          db_->Get({}, db_->DefaultColumnFamily(),
                   KeyOf(kStride * row + between), &value);
      if (!status.IsNotFound()) Check(status);
    }
    return reads.count() / static_cast<double>(kLookupsOfAStep);
  }

  double BitsPerKey() {
    LiveFilters filters;
    Check(ReadLiveFilters(db_.get(), db_->DefaultColumnFamily(), &filters));
    return filters.bits_per_entry();
  }

  // Files in the level with the most.
  size_t FilesInLargestLevel() {
    rocksdb::ColumnFamilyMetaData family;
    db_->GetColumnFamilyMetaData(&family);
    size_t files = 0;
    for (const rocksdb::LevelMetaData& level : family.levels) {
      files = std::max(files, level.files.size());
    }
    return files;
  }

  uint64_t compactions() const { return count_->compactions; }
  uint64_t bytes_written() const { return count_->bytes; }
  uint64_t size() {
    uint64_t bytes = 0;
    db_->GetIntProperty(rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);
    return bytes;
  }

 private:
  const std::shared_ptr<CompactionCount> count_ =
      std::make_shared<CompactionCount>();
  std::unique_ptr<rocksdb::DB> db_;
};

void Run(uint64_t rows, const std::string& half_life,
         const std::string& folder) {
  Database levels("{id=linebloom;bits_per_key=10;level_aware=true}",
                  folder + "/levels");
  Database heat(
      "{id=linebloom;bits_per_key=10;heat_aware=true;heat_half_life=" +
          half_life + "}",
      folder + "/heat");
  const std::vector<Database*> both = {&levels, &heat};
  // In random order, each row once if their number has no such factor.
  constexpr uint64_t kStep = 2'654'435'761;
  for (uint64_t i = 0; i < rows; ++i) {
    for (Database* db : both) db->Write(i * kStep % rows);
  }
  for (Database* db : both) db->Settle();
  std::printf("%zu files in the largest level.\n\n",
              heat.FilesInLargestLevel());
  std::printf(
      "| hot range | compactions | written, of the tree | bits per key: level, "
      "heat | reads per 1,000 missing rows: level, heat | ratio |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n");
  const auto start = std::chrono::steady_clock::now();
  uint64_t written = 0;
  for (const double hot_begin : {0.15, 0.6}) {
    const uint64_t compactions_before = heat.compactions();
    const uint64_t bytes_before = heat.bytes_written();
    for (int step = 0; step < kSteps; ++step) {
      const uint64_t compactions = heat.compactions() - compactions_before;
      const double share =
          static_cast<double>(heat.bytes_written() - bytes_before) /
          static_cast<double>(heat.size());
      const uint64_t seed = tools::Mix(written);
      const double of_levels = levels.LookUp(rows, hot_begin, seed);
      const double of_heat = heat.LookUp(rows, hot_begin, seed);
      std::printf(
          "| %.0f to %.0f %% | %llu | %.2f | %.2f, %.2f | %.2f, %.2f "
          "| %.2f |\n",
          100 * hot_begin, 100 * (hot_begin + kHotKeys),
          static_cast<unsigned long long>(compactions), share,
          levels.BitsPerKey(), heat.BitsPerKey(), 1000 * of_levels,
          1000 * of_heat, of_heat / of_levels);
      std::fflush(stdout);
      for (uint64_t i = 0; i < rows / kStepsToOverwriteAll; ++i) {
        const uint64_t row = tools::Mix(written++) % rows;
        for (Database* db : both) db->Write(row);
      }
      for (Database* db : both) db->Settle();
    }
  }
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  std::printf("\nEach line took %.0f s.\n", taken.count() / (2 * kSteps));
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const uint64_t rows = argc == 4 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (rows == 0) {
    std::fprintf(stderr, "usage: heat_moves ROWS HALF_LIFE FOLDER\n");
    return 2;
  }
  linebloom::RegisterFilterPolicy();
  const linebloom::NewFolder folder(argv[3]);
  linebloom::Run(rows, argv[2], folder.path());
}
