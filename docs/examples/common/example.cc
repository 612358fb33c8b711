#include "common/example.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace examples {

void Require(const rocksdb::Status& status, const std::string& doing) {
  Require(status.ok(), doing + ": " + status.ToString());
}

void Require(bool condition, const std::string& otherwise) {
  if (condition) return;
  std::cerr << otherwise << "\n";
  std::exit(1);
}

ScratchFolder::ScratchFolder() {
  path_ = std::filesystem::temp_directory_path() / "linebloom_XXXXXX";
  Require(mkdtemp(path_.data()) != nullptr, "can't create " + path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void PrintFilterChoices() {
  for (const FilterChoice& choice : kFilterChoices) {
    std::printf("%-24s filter_policy=%s\n", choice.name, choice.filter_policy);
  }
  std::printf("%-24s listeners=linebloom_level_sizes\n\n", "");
  std::fflush(stdout);
}

void Say(const std::string& what) { std::cerr << "... " << what << "\n"; }

rocksdb::Options SmallTree(uint64_t bytes, const std::string& filter_policy) {
  rocksdb::Options options;
  // An options file has the same, in [TableOptions] and [DBOptions].
  rocksdb::BlockBasedTableOptions table;
  Require(rocksdb::GetBlockBasedTableOptionsFromString(
              {}, {}, "filter_policy=" + filter_policy, &table),
          "reading " + filter_policy);
  Require(table.filter_policy != nullptr || filter_policy == kNoFilter,
          filter_policy + " is no filter policy");
  // `listeners=linebloom_level_sizes`: knows the sizes of levels and filters.
  options.listeners.push_back(linebloom::NewLevelSizeListener());
  table.no_block_cache = true;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = std::max<uint64_t>(bytes / 50, 64 << 10);
  options.target_file_size_base = options.write_buffer_size;
  options.max_bytes_for_level_base = 4 * options.write_buffer_size;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options,
                                  const std::string& path) {
  rocksdb::DB* db = nullptr;
  Require(rocksdb::DB::Open(options, path, &db), "opening " + path);
  return std::unique_ptr<rocksdb::DB>(db);
}

void Settle(rocksdb::DB* db) {
  Require(db->Flush(rocksdb::FlushOptions()), "flushing");
  uint64_t busy = 1;
  while (busy > 0) {
    uint64_t pending = 0;
    uint64_t running = 0;
    db->GetIntProperty(rocksdb::DB::Properties::kCompactionPending, &pending);
    db->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions,
                       &running);
    busy = pending + running;
    if (busy > 0) rocksdb::Env::Default()->SleepForMicroseconds(1000);
  }
}

// An automatic compaction could move a file past this one to a lower level, so
// there must be none.
void CompactEverything(rocksdb::DB* db) {
  Require(db->Flush(rocksdb::FlushOptions()), "flushing");
  Require(db->SetOptions({{"disable_auto_compactions", "true"}}), "stopping");
  Require(db->PauseBackgroundWork(), "waiting for running compactions");
  Require(db->ContinueBackgroundWork(), "continuing");
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  Require(db->CompactRange(all, nullptr, nullptr), "compacting");
  Require(db->SetOptions({{"disable_auto_compactions", "false"}}), "starting");
}

Filters FiltersOf(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection files;
  Require(db->GetPropertiesOfAllTables(&files), "reading properties");
  Filters filters;
  for (const auto& [path, properties] : files) {
    filters.keys += properties->num_filter_entries;
    filters.bytes += properties->filter_size;
  }
  return filters;
}

uint64_t BlocksRead() {
  if (rocksdb::GetPerfLevel() < rocksdb::PerfLevel::kEnableCount) {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  }
  return rocksdb::get_perf_context()->block_read_count;
}

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
uint64_t Scatter(uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9;
  i = (i ^ (i >> 27)) * 0x94d049bb133111eb;
  return i ^ (i >> 31);
}

std::string WithThousands(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

void PrintRow(const std::string& name, const std::vector<Cell>& cells) {
  std::printf("%-28s", name.c_str());
  for (const Cell& cell : cells) {
    if (const auto* const number = std::get_if<uint64_t>(&cell)) {
      std::printf(" %11s", WithThousands(*number).c_str());
    } else if (const auto* const share = std::get_if<double>(&cell)) {
      std::printf(" %11.1f", *share);
    } else {
      std::printf(" %11s", std::get<const char*>(cell));
    }
  }
  std::printf("\n");
  std::fflush(stdout);
}

uint64_t SizeFromArguments(int argc, char** argv, uint64_t otherwise) {
  if (argc == 1) return otherwise;
  char* end = nullptr;
  errno = 0;
  const uint64_t size = std::strtoull(argv[1], &end, 10);
  if (argc > 2 || *end != '\0' || errno != 0 || size < 1000 ||
      size > 1'000'000'000) {
    std::cerr << "usage: " << argv[0] << " [SIZE], from 1000 to 1000000000\n";
    std::exit(2);
  }
  return size;
}

}  // namespace examples
