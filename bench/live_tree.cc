// Measures what lookups read in a tree that RocksDB shapes while it is written,
// with filters, indexes and data in one block cache or with filters outside it.
// Prints one line of JSON for each `measure`.
//
//   live_tree --folder=FOLDER [--filters=POLICY] [FLAG...] STEP...
//
// Steps, one after another; a number may end in k or M:
//   write=ROWS       writes new rows of 66 bytes, in random order
//   overwrite[=ROWS] writes as many rows again (default: all, once)
//   load=HITS[,zipf] from here on HITS % of the lookups are of rows that are
//                    there, the rest of keys between rows; rows are drawn
//                    evenly or by Zipf's law (0.99). With a load, each tenth
//                    row that is written is followed by a lookup.
//   cache=BYTES      reopens the database with an empty cache of that size; 0:
//                    filters and indexes in memory, data not cached
//   lookups=N        looks up, unmeasured
//   measure=N        looks up until the cache is warm, then N times, or fewer
//                    if 3,000 blocks were read by then
//
// The writer waits for flushes and compactions, so that trees of one seed have
// one shape, whatever their filters.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "nlohmann/json.hpp"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

struct Config {
  std::string folder;
  std::string filters = "linebloom";
  std::string shape = "dynamic";
  std::string cache_kind = "lru";
  uint64_t buffer = 256 << 10;  // bytes
  size_t databases = 1;         // that share the cache, and the rows
  bool partitioned = false;
  bool statistics = true;
  bool in_order = false;
  std::vector<std::string> steps;
};

[[noreturn]] void Fail(const std::string& problem) {
  std::fprintf(stderr, "live_tree: %s\n", problem.c_str());
  std::exit(2);
}

void Check(const rocksdb::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// "15k" as 15,000.
uint64_t NumberIn(std::string text) {
  const std::string problem = CLI::AsSizeValue(/*kb_is_1000=*/true)(text);
  if (!problem.empty()) Fail(problem);
  return std::stoull(text);
}

// Draws rows, of which there may be more each time.
class Rows {
 public:
  void Load(double hit_share, bool by_zipf) {
    hit_share_ = hit_share;
    by_zipf_ = by_zipf;
    cumulative_.clear();
  }
  bool DrawHit() { return Share() < hit_share_; }
  uint64_t DrawRow(uint64_t rows) {
    if (!by_zipf_) return random_() % rows;
    while (cumulative_.size() < rows) {
      const auto rank = static_cast<double>(cumulative_.size() + 1);
      const double before = cumulative_.empty() ? 0 : cumulative_.back();
      cumulative_.push_back(before + std::pow(rank, -0.99));
    }
    const auto end = cumulative_.begin() + static_cast<int64_t>(rows);
    return static_cast<uint64_t>(
        std::upper_bound(cumulative_.begin(), end - 1, Share() * *(end - 1)) -
        cumulative_.begin());
  }

 private:
  double Share() {
    return std::ldexp(static_cast<double>(random_() >> 11), -53);
  }

  std::mt19937_64 random_{2};
  double hit_share_ = 0;
  bool by_zipf_ = false;
  std::vector<double> cumulative_;
};

class LiveTree {
 public:
  explicit LiveTree(Config config) : config_(std::move(config)) { Open(0); }

  void Run() {
    for (const std::string& step : config_.steps) {
      const size_t sign = std::min(step.find('='), step.size());
      const std::string name = step.substr(0, sign);
      const std::string value = step.substr(std::min(sign + 1, step.size()));
      if (name == "write") {
        Write(NumberIn(value), /*again=*/false);
      } else if (name == "overwrite") {
        Write(value.empty() ? rows_ : NumberIn(value), /*again=*/true);
      } else if (name == "load") {
        has_load_ = true;
        load_ = value;
        draws_.Load(std::atof(value.c_str()) / 100,
                    value.find(",zipf") != std::string::npos);
      } else if (name == "cache") {
        Open(NumberIn(value));
      } else if (name == "lookups") {
        for (uint64_t i = NumberIn(value); i > 0; --i) LookUp();
      } else if (name == "measure") {
        Measure(NumberIn(value));
      } else {
        Fail("no step '" + step + "'");
      }
    }
  }

 private:
  struct Reads {
    uint64_t all, bytes;
  };
  static constexpr uint64_t kEnoughReads = 3000;

  static Reads ReadsSoFar() {
    const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    return {context.block_read_count, context.block_read_byte};
  }

  std::shared_ptr<rocksdb::Cache> NewCache() const {
    if (config_.cache_kind == "hyperclock") {
      return rocksdb::HyperClockCacheOptions(cache_bytes_,
                                             /*entry_charge=*/4096,
                                             /*_num_shard_bits=*/0)
          .MakeSharedCache();
    }
    return rocksdb::NewLRUCache(cache_bytes_, /*num_shard_bits=*/0);
  }

  rocksdb::BlockBasedTableOptions TableOptions(
      const std::shared_ptr<rocksdb::Cache>& cache) const {
    rocksdb::BlockBasedTableOptions table;
    table.no_block_cache = cache == nullptr;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = cache_bytes_ > 0;
    if (config_.partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    rocksdb::ConfigOptions strict;
    strict.ignore_unsupported_options = false;
    Check(rocksdb::FilterPolicy::CreateFromString(strict, config_.filters,
                                                  &table.filter_policy));
    return table;
  }

  void Open(uint64_t cache_bytes) {
    if (!dbs_.empty()) Settle();
    dbs_.clear();
    cache_bytes_ = cache_bytes;
    const auto cache = cache_bytes > 0 ? NewCache() : nullptr;
    for (size_t i = 0; i < config_.databases; ++i) {
      OpenDatabase(config_.folder + "/" + std::to_string(i), cache);
    }
  }

  // With a policy and a listener of its own.
  void OpenDatabase(const std::string& path,
                    const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.use_direct_reads = true;
    options.compression = rocksdb::kNoCompression;
    options.max_background_jobs = 2;
    options.write_buffer_size =
        4 * config_.buffer;  // flushed before it is full
    options.target_file_size_base = 2 * config_.buffer;
    options.max_bytes_for_level_base = 4 * config_.buffer;
    options.level_compaction_dynamic_level_bytes = config_.shape == "dynamic";
    if (config_.shape == "universal") {
      options.compaction_style = rocksdb::kCompactionStyleUniversal;
    }
    if (config_.statistics) options.statistics = rocksdb::CreateDBStatistics();
    options.table_factory.reset(
        rocksdb::NewBlockBasedTableFactory(TableOptions(cache)));
    options.listeners.push_back(NewLevelSizeListener());
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(options, path, &db));
    dbs_.emplace_back(db);
  }

  rocksdb::DB& DatabaseOf(uint64_t row) { return *dbs_[row % dbs_.size()]; }

  // 16 bytes, as db_bench has them. The first 8 are the number of the row,
  // or, if not in order, its image in a one-to-one map that scatters numbers.
  std::string KeyOf(uint64_t row) const {
    if (!config_.in_order) {
      for (const uint64_t factor : {0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53}) {
        row = (row ^ (row >> 33)) * factor;
      }
      row ^= row >> 33;
    }
    std::string key(16, '0');
    for (int i = 0; i < 8; ++i) key[i] = static_cast<char>(row >> (56 - 8 * i));
    return key;
  }

  bool IsAtRest(rocksdb::DB* db) const {
    std::vector<std::string> properties = {
        rocksdb::DB::Properties::kNumRunningCompactions,
        rocksdb::DB::Properties::kNumRunningFlushes};
    // In universal compaction it stays set if there is nothing to pick.
    if (config_.shape != "universal") {
      properties.push_back(rocksdb::DB::Properties::kCompactionPending);
    }
    return std::all_of(
        properties.begin(), properties.end(), [&](const std::string& property) {
          uint64_t value = 0;
          return db->GetIntProperty(property, &value) && value == 0;
        });
  }

  // Flushes, and waits for compactions.
  void Settle() {
    for (const auto& db : dbs_) Check(db->Flush({}));
    for (const auto& db : dbs_) {
      for (int calm = 0; calm < 3; calm = IsAtRest(db.get()) ? calm + 1 : 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  }

  void Put(uint64_t row) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    Check(DatabaseOf(row).Put(write, KeyOf(row), std::string(50, 'v')));
    ++written_;
    if (written_ * 66 >= dbs_.size() * config_.buffer) {
      written_ = 0;
      Settle();
    }
    if (has_load_ && row % 10 == 0) LookUp();
  }

  // Rows that are written again are so each once before any is a second time,
  // in the order of a linear congruence.
  void Write(uint64_t rows, bool again) {
    constexpr uint64_t kStep = 2654435761;  // a prime above all numbers of rows
    for (; rows > 0; --rows) {
      if (again) last_overwritten_ = (last_overwritten_ + kStep) % rows_;
      Put(again ? last_overwritten_ : rows_++);
    }
    Settle();
  }

  void LookUp() {
    const bool hits = draws_.DrawHit();
    const uint64_t row = draws_.DrawRow(rows_);
    const std::string key = KeyOf(row) + (hits ? "" : "-");
    const rocksdb::Status status = DatabaseOf(row).Get({}, key, &value_);
    if (!hits && status.IsNotFound()) return;
    Check(status);
    if (!hits) Fail("found a key that was not written");
  }

  void Measure(uint64_t most) {
    Settle();
    const Reads cold = ReadsSoFar();
    for (int i = 0; i < 10'000; ++i) {
      LookUp();
      if (ReadsSoFar().bytes - cold.bytes > 3 * cache_bytes_) break;
    }
    const Reads before = ReadsSoFar();
    uint64_t lookups = 0;
    while (lookups < most && (ReadsSoFar().all - before.all < kEnoughReads ||
                              lookups < most / 20)) {
      LookUp();
      ++lookups;
    }
    const Reads after = ReadsSoFar();
    nlohmann::ordered_json line = {{"filters", config_.filters},
                                   {"partitioned", config_.partitioned},
                                   {"cache", cache_bytes_},
                                   {"load", load_},
                                   {"lookups", lookups},
                                   {"reads", after.all - before.all},
                                   {"bytes_read", after.bytes - before.bytes},
                                   {"rows", rows_}};
    DescribeTree(&line);
    std::cout << line.dump() << std::endl;
  }

  void DescribeTree(nlohmann::ordered_json* line) const {
    uint64_t entries = 0;
    uint64_t filter_bytes = 0;
    uint64_t index_bytes = 0;
    size_t file_count = 0;
    std::set<std::string> runs;
    for (const auto& db : dbs_) {
      rocksdb::TablePropertiesCollection properties;
      std::vector<rocksdb::LiveFileMetaData> files;
      Check(db->GetPropertiesOfAllTables(&properties));
      db->GetLiveFilesMetaData(&files);
      for (const auto& [path, of_file] : properties) {
        entries += of_file->num_entries;
        filter_bytes += of_file->filter_size;
        index_bytes += of_file->index_size;
      }
      for (const rocksdb::LiveFileMetaData& file : files) {
        runs.insert(file.db_path + (file.level == 0 ? file.name : "") +
                    std::to_string(file.level));
      }
      file_count += files.size();
    }
    line->update({{"entries", entries},
                  {"files", file_count},
                  {"runs", runs.size()},
                  {"filter_bytes", filter_bytes},
                  {"index_bytes", index_bytes},
                  {"bits_per_key", 8 * static_cast<double>(filter_bytes) /
                                       static_cast<double>(entries)}});
  }

  const Config config_;
  uint64_t cache_bytes_ = 0;
  std::vector<std::unique_ptr<rocksdb::DB>> dbs_;
  uint64_t rows_ = 0;
  uint64_t last_overwritten_ = 0;
  uint64_t written_ = 0;  // since the last flush
  bool has_load_ = false;
  std::string load_;
  Rows draws_;
  std::string value_;
};

}  // namespace
}  // namespace linebloom

// NOLINTNEXTLINE(bugprone-exception-escape): it ends with the message
int main(int argc, char** argv) {
  linebloom::Config config;
  CLI::App app("Measures what lookups read in a tree while it is written.");
  app.add_option("--folder", config.folder, "removed; must not exist")
      ->required();
  app.add_option("--filters", config.filters, "an option string");
  app.add_option("--shape", config.shape)
      ->check(CLI::IsMember({"static", "dynamic", "universal"}));
  app.add_option("--cache_kind", config.cache_kind)
      ->check(CLI::IsMember({"lru", "hyperclock"}));
  app.add_option("--buffer", config.buffer, "bytes of rows in a flush");
  app.add_option("--databases", config.databases,
                 "that share the block cache, and the rows");
  app.add_option("--partitioned", config.partitioned);
  app.add_option("--statistics", config.statistics);
  app.add_option("--in_order", config.in_order, "rows are written in order");
  app.add_option("steps", config.steps)->required();
  CLI11_PARSE(app, argc, argv);
  if (!std::filesystem::create_directory(config.folder)) {
    linebloom::Fail(config.folder + " exists");
  }
  linebloom::RegisterFilterPolicy();
  linebloom::LiveTree(config).Run();
  std::filesystem::remove_all(config.folder);
}
