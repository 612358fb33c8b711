// Measures what heat_aware costs lookups, flushes and compactions, beside
// level_aware with the same listener. Prints a table for docs/benchmarks.md.
//
//   heat_cost ROWS ROUNDS FOLDER
//
// Two databases, one with each policy, take turns in one process: in each round
// a fifth of ROWS is overwritten at random, flushed, and the tree rewritten;
// then a fifth as many missing rows are looked up, in twenty turns. Lookups
// fall evenly, so that both have filters of the same size. Times are CPU times,
// of the thread for lookups and else of the process. The ratio is the median of
// those of all turns, each of neighbours in time, with the range that holds the
// median of 19 in 20 such runs. FOLDER must not exist and is removed.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/databases/database.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tools/numbers/mix.h"

namespace linebloom {
namespace {

constexpr uint64_t kPartToOverwrite = 5;
constexpr uint64_t kTurnsToLookUp = 20;  // in a round

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// The CPU seconds of something that both databases did, turn by turn.
struct Times {
  std::vector<double> levels;
  std::vector<double> heat;
};

class Database {
 public:
  Database(const std::string& policy, const std::string& folder) {
    rocksdb::BlockBasedTableOptions table;
    Check(rocksdb::FilterPolicy::CreateFromString({}, policy,
                                                  &table.filter_policy));
    table.block_cache = rocksdb::NewLRUCache(1 << 30);
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.listeners = {NewLevelSizeListener()};
    options.write_buffer_size = 1 << 30;
    options.target_file_size_base = 8 << 20;
    options.compression = rocksdb::kNoCompression;
    db_ = OpenDatabase(options, folder);
  }

  void Write(uint64_t row) {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    Check(db_->Put(options, KeyOf(2 * row), std::string(100, 'v')));
  }

  double Flush() {
    const double start = SecondsOf(CLOCK_PROCESS_CPUTIME_ID);
    Check(db_->Flush({}));
    return SecondsOf(CLOCK_PROCESS_CPUTIME_ID) - start;
  }

  double Compact() {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    const double start = SecondsOf(CLOCK_PROCESS_CPUTIME_ID);
    Check(db_->CompactRange(all, nullptr, nullptr));
    return SecondsOf(CLOCK_PROCESS_CPUTIME_ID) - start;
  }

  double LookUp(uint64_t rows, uint64_t lookups, uint64_t seed) {
    rocksdb::PinnableSlice value;
    const double start = SecondsOf(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t i = 0; i < lookups; ++i) {
      value.Reset();
      const uint64_t missing = 2 * (tools::Mix(seed, i) % rows) + 1;
      const rocksdb::Status status =
          db_->Get({}, db_->DefaultColumnFamily(), KeyOf(missing), &value);
      if (!status.IsNotFound()) Check(status);
    }
    return SecondsOf(CLOCK_THREAD_CPUTIME_ID) - start;
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

// The value below which this part of the numbers is.
double Quantile(std::vector<double> numbers, double part) {
  std::sort(numbers.begin(), numbers.end());
  const double at = part * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, numbers.size() - 1);
  const double share = at - static_cast<double>(below);
  return numbers[below] + share * (numbers[above] - numbers[below]);
}

void PrintRow(const char* what, const Times& times, double units) {
  std::vector<double> ratios;
  for (size_t i = 0; i < times.heat.size(); ++i) {
    ratios.push_back(times.heat[i] / times.levels[i]);
  }
  // Between these quantiles the median is with 95 % confidence: the number of
  // turns below it is binomial.
  const double margin =
      std::min(0.5, 0.98 / std::sqrt(static_cast<double>(ratios.size())));
  std::printf("| %s | %zu | %.0f ns | %.0f ns | %.3f | %.3f to %.3f |\n", what,
              ratios.size(), 1e9 / units * Quantile(times.levels, 0.5),
              1e9 / units * Quantile(times.heat, 0.5), Quantile(ratios, 0.5),
              Quantile(ratios, 0.5 - margin), Quantile(ratios, 0.5 + margin));
}

void Run(uint64_t rows, uint64_t rounds, const std::string& folder) {
  Database levels("{id=linebloom;bits_per_key=10;level_aware=true}",
                  folder + "/levels");
  Database heat("{id=linebloom;bits_per_key=10;heat_aware=true}",
                folder + "/heat");
  for (Database* db : {&levels, &heat}) {
    for (uint64_t i = 0; i < rows; ++i) db->Write(i);
    db->Flush();
    db->Compact();
    db->LookUp(rows, rows, 0);
  }
  const uint64_t part = rows / kPartToOverwrite;
  Times lookups;
  Times flushes;
  Times compactions;
  uint64_t turns = 0;
  // Which one goes first changes from turn to turn.
  const auto take_turns = [&](Times* times, const auto& act) {
    const bool heat_first = turns++ % 2 == 0;
    if (heat_first) times->heat.push_back(act(&heat));
    times->levels.push_back(act(&levels));
    if (!heat_first) times->heat.push_back(act(&heat));
  };
  for (uint64_t round = 0; round < rounds; ++round) {
    const uint64_t seed = tools::Mix(round, 1);
    for (Database* db : {&levels, &heat}) {
      for (uint64_t i = 0; i < part; ++i) {
        db->Write(tools::Mix(seed, i) % rows);
      }
    }
    take_turns(&flushes, [](Database* db) { return db->Flush(); });
    take_turns(&compactions, [](Database* db) { return db->Compact(); });
    for (uint64_t turn = 0; turn < kTurnsToLookUp; ++turn) {
      take_turns(&lookups, [&](Database* db) {
        return db->LookUp(rows, part / kTurnsToLookUp, tools::Mix(seed, turn));
      });
    }
  }
  std::printf(
      "| CPU time | turns | level_aware | heat_aware | ratio | 95 %% |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n");
  const auto of_part = static_cast<double>(part);
  PrintRow("a lookup of a missing row", lookups,
           of_part / static_cast<double>(kTurnsToLookUp));
  PrintRow("a flush, per row", flushes, of_part);
  PrintRow("a compaction, per row read", compactions,
           of_part + static_cast<double>(rows));
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const uint64_t rows = argc == 4 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const uint64_t rounds = argc == 4 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (rows < 1000 || rounds == 0) {
    std::fprintf(stderr,
                 "usage: heat_cost ROWS ROUNDS FOLDER; ROWS from 1000 on\n");
    return 2;
  }
  linebloom::RegisterFilterPolicy();
  const linebloom::NewFolder folder(argv[3]);
  linebloom::Run(rows, rounds, folder.path());
}
