// Measures filters in trees that are written to, as RocksDB shapes them: one
// line of a table for docs/runs/ per phase, once compactions rest.
//
//   live_tree SHAPE PHASES ROWS FILTERS FOLDER
//
// SHAPE    static or dynamic level sizes, or universal compaction, with levels
//          that are small enough for some million rows to make a tree; default:
//          RocksDB's own sizes.
// PHASES   Some of these, separated by commas. Each writes ROWS rows of 66
//          bytes.
//            fill    drawn at random, with repeats: also overwrites
//            paced   the same, while the writer waits for compactions
//            mixed   the same, while another thread looks up missing keys
//            order   in the order of keys
//            reopen  writes nothing: closes and opens the database
// FILTERS  a filter policy, as in an option string, or budget:BITS, a
//          memory_budget of BITS for each row of the final tree
// FOLDER   must not exist and is removed
//
// A missing key meets the files whose range it is in, as often as that is wide,
// because keys are drawn uniformly. Reads are sums of the rates that filters
// state, weighted by that; "predicted" are those by PlacesOf(). They are
// compared with filters of the same files:
//   own    even filters of the bytes that are there
//   full   even filters of the requested bytes
//   best   the allocation of these bytes that reads least
//   writing  full, averaged over all flushes and compactions of the phase
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/table.h"
#include "table/expected_reads.h"
#include "table/file_facts.h"

namespace linebloom {
namespace {

void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "live_tree: %s\n", status.ToString().c_str());
  std::exit(2);
}

std::unique_ptr<rocksdb::DB> OpenDatabase(const rocksdb::Options& options,
                                          const std::string& folder) {
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, folder, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

// 16 bytes, in the order of the numbers.
std::string KeyOf(uint64_t number) {
  char key[17];
  std::snprintf(key, sizeof(key), "%016llx",
                static_cast<unsigned long long>(number));
  return {key, 16};
}

// The rate of solved lines.
double RateOf(double bits) {
  bits = std::min(bits, kMaxBitsOfRun);
  return ExpectedRate(LineKind::kSolved, static_cast<uint32_t>(1000 * bits),
                      kBitsPerLine / bits);
}

struct File {
  double keys = 0;
  double bits = 0;
  double probes = 0;  // the share of missing keys that meet the file
  double rate = 1;
  FileRange range;
};

struct Tree {
  std::vector<File> files;
  double keys = 0;
  double bits = 0;
  double probes = 0;  // per missing key
  double reads = 0;
  double least_bits = 1e9;  // per key, of a file

  void Add(const File& file) {
    files.push_back(file);
    keys += file.keys;
    bits += file.bits;
    probes += file.probes;
    reads += file.probes * file.rate;
    least_bits = std::min(least_bits, file.bits / file.keys);
  }
  double Predicted() const {
    std::vector<FileRange> ranges;
    for (const File& file : files) ranges.push_back(file.range);
    const std::vector<Stretch> places =
        PlacesOf(ranges, *rocksdb::BytewiseComparator());
    double predicted = 0;
    for (size_t i = 0; i < files.size(); ++i) {
      predicted += places[i].share() * files[i].rate;
    }
    return predicted;
  }
  double Even(double total_bits) const {
    return probes * RateOf(total_bits / keys);
  }
  double Best(double total_bits) const {
    // Rates in proportion to keys per probe read least for their memory.
    double low = 0;
    double high = 100;
    double least = 0;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      double taken = 0;
      least = 0;
      for (const File& file : files) {
        const double per_probe = file.keys / std::max(file.probes, 1e-9);
        const double bits = std::clamp(
            middle - std::log(per_probe) / LogRatePerBit(LineKind::kSolved),
            kMinBitsOfRun, kMaxBitsOfRun);
        taken += file.keys * bits;
        least += file.probes * RateOf(bits);
      }
      (taken < total_bits ? low : high) = middle;
    }
    return least;
  }
};

// Looks at the tree after each flush and compaction.
class Watch : public rocksdb::EventListener {
 public:
  struct Seen {
    double most_bits = 0;
    double most_bits_per_key = 0;
    double share = 0;
    int trees = 0;
  };

  // `bits_per_key` for an average, `budget` in bits.
  Watch(uint64_t rows, double bits_per_key, double budget)
      : rows_(static_cast<double>(rows)),
        bits_per_key_(bits_per_key),
        budget_(budget) {}

  double Requested(const Tree& tree) const {
    return budget_ > 0 ? budget_ : bits_per_key_ * tree.keys;
  }

  // `exact`: with the rates that filters state.
  Tree TreeOf(rocksdb::DB* db, bool exact) const {
    rocksdb::TablePropertiesCollection properties;
    std::vector<rocksdb::LiveFileMetaData> files;
    Check(db->GetPropertiesOfAllTables(&properties));
    db->GetLiveFilesMetaData(&files);
    Tree tree;
    for (const rocksdb::LiveFileMetaData& live : files) {
      const std::string path = live.db_path + live.name;
      const auto found = properties.find(path);
      if (found == properties.end()) continue;  // deleted meanwhile
      File file;
      file.keys = static_cast<double>(found->second->num_entries);
      file.bits = 8 * static_cast<double>(found->second->filter_size);
      file.probes =
          (NumberOf(live.largestkey) - NumberOf(live.smallestkey)) / rows_;
      file.rate = RateOf(file.bits / file.keys);
      file.range = {live.smallestkey, live.largestkey, file.keys};
      if (exact) {
        const auto facts = ReadFileFacts(path);
        if (facts.ok()) file.rate = facts->rate;
      }
      tree.Add(file);
    }
    return tree;
  }

  Seen Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, {});
  }

  void OnFlushCompleted(rocksdb::DB* db,
                        const rocksdb::FlushJobInfo& /*job*/) override {
    Look(db);
  }
  void OnCompactionCompleted(
      rocksdb::DB* db, const rocksdb::CompactionJobInfo& /*job*/) override {
    Look(db);
  }

 private:
  static double NumberOf(const std::string& key) {
    return static_cast<double>(std::strtoull(key.c_str(), nullptr, 16));
  }

  void Look(rocksdb::DB* db) {
    const Tree tree = TreeOf(db, false);
    if (tree.keys < 0.15 * rows_) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_.most_bits = std::max(seen_.most_bits, tree.bits);
    seen_.most_bits_per_key =
        std::max(seen_.most_bits_per_key, tree.bits / tree.keys);
    seen_.share += tree.reads / tree.Even(Requested(tree));
    ++seen_.trees;
  }

  const double rows_;
  const double bits_per_key_;
  const double budget_;
  std::mutex mutex_;
  Seen seen_;
};

rocksdb::Options OptionsOf(const std::string& shape) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.level_compaction_dynamic_level_bytes = shape == "dynamic";
  if (shape == "default") return options;
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 2 << 20;
  options.max_bytes_for_level_base = 8 << 20;
  options.max_background_jobs = 2;
  if (shape == "universal") {
    options.compaction_style = rocksdb::kCompactionStyleUniversal;
  }
  return options;
}

class Database {
 public:
  Database(const std::string& shape, std::vector<std::string> phases,
           uint64_t rows, const std::string& filters, std::string folder)
      : shape_(shape),
        phases_(std::move(phases)),
        rows_(rows),
        filters_(filters),
        folder_(std::move(folder)),
        options_(OptionsOf(shape)) {
    double budget = 0;
    std::string policy = filters;
    if (filters.rfind("budget:", 0) == 0) {
      budget = std::strtod(filters.c_str() + 7, nullptr) * FinalRows();
      policy = "linebloom:budget:" +
               std::to_string(static_cast<uint64_t>(budget / 8));
    }
    rocksdb::BlockBasedTableOptions table;
    Check(rocksdb::FilterPolicy::CreateFromString(
        rocksdb::ConfigOptions(), policy, &table.filter_policy));
    const auto* own = OptionsOfLinebloom(table.filter_policy.get());
    watch_ = std::make_shared<Watch>(
        rows, own == nullptr ? kDefaultBitsPerKey : BitsPerKeyOf(*own), budget);
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    if (std::getenv("WITHOUT_LISTENER") == nullptr) {
      options_.listeners.push_back(NewLevelSizeListener());
    }
    options_.listeners.push_back(watch_);
    db_ = OpenDatabase(options_, folder_);
  }

  void Run() {
    std::printf(
        "| filters, shape, rows, phase | bits per key | at most | of what was "
        "requested | at most | fewest bits per key of a file | filters met | "
        "reads "
        "per 1,000 missing keys | predicted | measured | own | full | best | "
        "writing |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: "
        "| ---: | ---: | ---: | ---: |\n");
    for (const std::string& phase : phases_) {
      if (phase == "reopen") {
        db_.reset();
        db_ = OpenDatabase(options_, folder_);
      } else {
        Write(phase);
      }
      Settle();
      Print(phase);
    }
  }

 private:
  double FinalRows() const {
    std::vector<bool> there(rows_);
    std::mt19937_64 random(1);
    for (const std::string& phase : phases_) {
      if (phase == "reopen") continue;
      if (phase == "order") return static_cast<double>(rows_);
      for (uint64_t i = 0; i < rows_; ++i) there[random() % rows_] = true;
    }
    return static_cast<double>(std::count(there.begin(), there.end(), true));
  }

  bool IsAtRest() {
    std::vector<std::string> properties = {
        rocksdb::DB::Properties::kNumRunningCompactions,
        rocksdb::DB::Properties::kNumRunningFlushes,
        rocksdb::DB::Properties::kMemTableFlushPending};
    // In universal compaction it stays set if there is nothing to pick.
    if (shape_ != "universal") {
      properties.push_back(rocksdb::DB::Properties::kCompactionPending);
    }
    for (const std::string& property : properties) {
      uint64_t value = 0;
      db_->GetIntProperty(property, &value);
      if (value > 0) return false;
    }
    return true;
  }

  void Settle() {
    for (int calm = 0; calm < 5; ++calm) {
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      if (!IsAtRest()) calm = -1;
    }
  }

  void Write(const std::string& phase) {
    std::atomic<bool> done = phase != "mixed";
    std::thread reader([&] {
      std::mt19937_64 random(3);
      std::string value;
      while (!done) db_->Get({}, KeyOf(random() % rows_) + "-", &value);
    });
    rocksdb::WriteOptions write;
    write.disableWAL =
        std::find(phases_.begin(), phases_.end(), "reopen") == phases_.end();
    for (uint64_t i = 0; i < rows_; ++i) {
      const uint64_t row = phase == "order" ? i : random_() % rows_;
      Check(db_->Put(write, KeyOf(row), std::string(50, 'v')));
      while (phase == "paced" && i % 10'000 == 0 && !IsAtRest()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    done = true;
    reader.join();
  }

  // Returns how many keys between those of rows the filters let through, per
  // lookup.
  double LookUp(int lookups) {
    const CountByLevel counting;
    rocksdb::get_perf_context()->Reset();
    std::string value;
    for (int i = 0; i < lookups; ++i) {
      db_->Get({}, KeyOf(lookups_() % rows_) + "-", &value);
    }
    const FilterStats stats =
        GetFilterStats(*rocksdb::get_perf_context()).all();
    return static_cast<double>(stats.positives) / lookups;
  }

  void Print(const std::string& phase) {
    const Watch::Seen seen = watch_->Take();
    const Tree tree = watch_->TreeOf(db_.get(), true);
    const double requested = watch_->Requested(tree);
    const double found = 1000 * LookUp(200'000);
    std::printf(
        "| %s, %s, %llu rows, %s | %.2f | %.2f | %.3f | %.3f | %.1f | %.2f | "
        "%.3f | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f |\n",
        filters_.c_str(), shape_.c_str(),
        static_cast<unsigned long long>(rows_), phase.c_str(),
        tree.bits / tree.keys, seen.most_bits_per_key, tree.bits / requested,
        seen.most_bits / requested, tree.least_bits, tree.probes,
        1000 * tree.reads, 1000 * tree.Predicted(), found,
        tree.reads / tree.Even(tree.bits), tree.reads / tree.Even(requested),
        tree.reads / tree.Best(requested),
        seen.share / std::max(seen.trees, 1));
    std::fflush(stdout);
  }

  const std::string shape_;
  const std::vector<std::string> phases_;
  const uint64_t rows_;
  const std::string filters_;
  const std::string folder_;
  rocksdb::Options options_;
  std::shared_ptr<Watch> watch_;
  std::unique_ptr<rocksdb::DB> db_;
  std::mt19937_64 random_{1};
  std::mt19937_64 lookups_{2};
};

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const uint64_t rows = argc == 6 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (rows == 0) {
    std::fprintf(stderr, "usage: live_tree SHAPE PHASES ROWS FILTERS FOLDER\n");
    return 2;
  }
  const std::string folder = argv[5];
  if (!std::filesystem::create_directory(folder)) {
    std::fprintf(stderr, "live_tree: %s exists\n", folder.c_str());
    return 2;
  }
  linebloom::RegisterFilterPolicy();
  linebloom::Database(argv[1], absl::StrSplit(argv[2], ','), rows, argv[4],
                      folder)
      .Run();
  std::filesystem::remove_all(folder);
}
