// Writes databases of known rows, one for each layout of filters, and checks
// them by the same linebloom or a later one (release.sh), under the same
// RocksDB or another one (tests/plugin/run.sh).
//
//   compat_database write FOLDER
//   compat_database check FOLDER
//
// `check` opens each database that is there as an application would, finds
// every row, and checks that the filters reject missing ones. The output is the
// same under every RocksDB, because the same filters give the same answers for
// the same keys. Exits with 0, with 1 if an answer was wrong, or with 2 after
// bad usage or if RocksDB failed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "tools/database/out_ptr.h"

namespace {

// The rows' locations. All files have the same range, so every lookup probes
// each.
constexpr uint64_t kRows = 2'000;
constexpr uint64_t kFiles = 2;

struct Layout {
  const char* name;
  const char* table;  // besides format_version, as an option string
  bool prefixes = false;
};

constexpr Layout kLayouts[] = {
    {"full", "filter_policy=linebloom:10"},
    {"many_bits", "filter_policy=linebloom:14.5"},
    {"plain", "filter_policy={id=linebloom;bits_per_key=8;line=plain}"},
    {"seed",
     "filter_policy={id=linebloom;bits_per_key=10;hash_seed=12345678901}"},
    {"rate", "filter_policy=linebloom:rate:0.02"},
    {"level_aware", "filter_policy={id=linebloom;level_aware=true}"},
    {"partitioned",
     "filter_policy=linebloom:10;partition_filters=true;"
     "index_type=kTwoLevelIndexSearch;metadata_block_size=256"},
    {"prefixes", "filter_policy=linebloom:10", true},
    {"partitioned_prefixes",
     "filter_policy=linebloom:10;partition_filters=true;"
     "index_type=kTwoLevelIndexSearch;metadata_block_size=256",
     true},
};

void Check(const rocksdb::Status& status, const std::string& what) {
  if (status.ok()) return;
  fprintf(stderr, "compat_database: %s: %s\n", what.c_str(),
          status.ToString().c_str());
  exit(2);
}

rocksdb::Options MakeOptions(const Layout& layout) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.statistics = rocksdb::CreateDBStatistics();
  if (layout.prefixes) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
  }
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  rocksdb::BlockBasedTableOptions table;
  // The version that all releases read: those before 8.6 reject 6, the default
  // since 9.0, whatever the filter.
  Check(
      rocksdb::GetBlockBasedTableOptionsFromString(
          strict, {}, std::string("format_version=5;") + layout.table, &table),
      layout.table);
  if (table.filter_policy == nullptr) {
    Check(rocksdb::Status::NotSupported("no filter policy"), layout.table);
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options,
                                  const std::string& path) {
  std::unique_ptr<rocksdb::DB> db;
  Check(rocksdb::DB::Open(options, path, linebloom::OutPtr(&db)), path);
  return db;
}

// Even numbers have rows. Ten keys, including missing ones, share a prefix of 8
// bytes.
std::string KeyOf(uint64_t number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(6 - digits.size(), '0') + digits;
}

std::string ValueOf(uint64_t number) {
  return "value of " + std::to_string(number);
}

// Compacts every second row into the last level and flushes the others.
void Write(const Layout& layout, const std::string& path) {
  const auto db = Open(MakeOptions(layout), path);
  for (uint64_t file = 0; file < kFiles; ++file) {
    for (uint64_t i = file; i < kRows; i += kFiles) {
      Check(db->Put({}, KeyOf(2 * i), ValueOf(2 * i)), "Put");
    }
    Check(db->Flush({}), "Flush");
    if (file == 0) Check(db->CompactRange({}, nullptr, nullptr), "Compact");
  }
}

// Prints a line. Returns true if the answers are right and the filters are
// used.
bool CheckAnswers(const Layout& layout, const std::string& path) {
  const rocksdb::Options options = MakeOptions(layout);
  const auto db = Open(options, path);
  uint64_t found = 0;
  uint64_t invented = 0;
  std::string value;
  for (uint64_t i = 0; i < kRows; ++i) {
    found += db->Get({}, KeyOf(2 * i), &value).ok() && value == ValueOf(2 * i);
  }
  const rocksdb::Statistics& counts = *options.statistics;
  const auto rejected = [&counts] {
    // Depending on the version, a Get that probes for a prefix counts in one
    // ticker or the other.
    return counts.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
           counts.getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  };
  const uint64_t rejected_rows = rejected();
  for (uint64_t i = 0; i + 1 < kRows; ++i) {
    invented += !db->Get({}, KeyOf(2 * i + 1), &value).IsNotFound();
  }
  const uint64_t probes = kFiles * (kRows - 1);
  const uint64_t rejected_missing = rejected() - rejected_rows;
  printf(
      "%-21s %ju of %ju rows found, %ju others; filters rejected %ju of %ju "
      "probes for missing ones\n",
      layout.name, uintmax_t{found}, uintmax_t{kRows}, uintmax_t{invented},
      uintmax_t{rejected_missing}, uintmax_t{probes});
  return found == kRows && invented == 0 &&
         rejected_missing * 100 >= probes * 95;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc == 3 ? argv[1] : "";
  if (command != "write" && command != "check") {
    fprintf(stderr, "usage: compat_database write|check FOLDER\n");
    return 2;
  }
  linebloom::RegisterFilterPolicy();
  if (command == "write") std::filesystem::create_directories(argv[2]);
  bool right = true;
  int layouts = 0;
  for (const Layout& layout : kLayouts) {
    const std::string path = std::string(argv[2]) + "/" + layout.name;
    if (command == "write") {
      Write(layout, path);
    } else if (std::filesystem::exists(path)) {
      right = CheckAnswers(layout, path) && right;
    } else {
      continue;
    }
    ++layouts;
  }
  return right && layouts > 0 ? 0 : 1;
}
