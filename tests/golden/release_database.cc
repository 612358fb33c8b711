// A database as a release of linebloom writes it, which every later one reads:
//
//   release_database --write DIR  with the families below, by this version
//   release_database --check DIR  with the families that DIR/families.txt lists
//
// families.txt has a line for each family: its name, its table options and how
// many of the missing rows the filters reject. Checking exits with 1 unless
// every row is found, and the filters reject as many as they did; it reads a
// copy, since opening a database changes it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"

namespace {

namespace fs = std::filesystem;
using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;

struct Family {
  std::string name;
  std::string table;  // BlockBasedTableOptions
  int rejected = 0;   // missing rows
};

std::vector<Family> Families() {
  const std::string partitioned =
      "partition_filters=true;index_type=kTwoLevelIndexSearch;"
      "metadata_block_size=256;";
  return {
      {"default", "filter_policy=linebloom:10"},
      {"level_aware", "filter_policy={id=linebloom;level_aware=true}"},
      {"many_bits", "filter_policy={id=linebloom;bits_per_key=20}"},
      {"partitioned", partitioned + "filter_policy=linebloom:8"},
      {"plain", "filter_policy={id=linebloom;line=plain}"},
      {"rate", "filter_policy={id=linebloom;false_positive_rate=0.05}"},
      {"seeded", "filter_policy={id=linebloom;hash_seed=0x1234}"},
  };
}

constexpr int kRows = 500;

// Even numbers are rows, odd ones are missing.
std::string Key(int number) { return "row:" + std::to_string(1000 + number); }

void Require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << "release_database: " << status.ToString() << "\n";
  std::exit(2);
}

struct Open {
  std::unique_ptr<DB> db;
  std::vector<std::unique_ptr<ColumnFamilyHandle>> handles;  // before the DB
};

Open OpenDatabase(const std::string& path,
                  const std::vector<Family>& families) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const Family& family : families) {
    rocksdb::ColumnFamilyOptions of_family;
    Require(rocksdb::GetColumnFamilyOptionsFromString(
        rocksdb::ConfigOptions(), {},
        "compression=kNoCompression;block_based_table_factory={" +
            family.table + "}",
        &of_family));
    descriptors.emplace_back(family.name, of_family);
  }
  DB* db = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  Require(DB::Open(options, path, descriptors, &handles, &db));
  Open open{std::unique_ptr<DB>(db), {}};
  for (ColumnFamilyHandle* handle : handles) open.handles.emplace_back(handle);
  return open;
}

// Returns the rejected missing rows, or -1 if a row isn't found.
int LookUp(DB* db, ColumnFamilyHandle* family) {
  std::string value;
  for (int row = 0; row < kRows; ++row) {
    if (!db->Get({}, family, Key(2 * row), &value).ok() || value != "value") {
      return -1;
    }
  }
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  for (int row = 0; row < kRows - 1; ++row) {
    if (!db->Get({}, family, Key(2 * row + 1), &value).IsNotFound()) return -1;
  }
  return static_cast<int>(rocksdb::get_perf_context()->bloom_sst_miss_count);
}

int Write(const fs::path& folder) {
  const fs::path path = folder / "database";
  std::vector<Family> families = Families();
  {
    const Open open = OpenDatabase(path, families);
    for (const auto& handle : open.handles) {
      for (int row = 0; row < kRows; ++row) {
        Require(open.db->Put({}, handle.get(), Key(2 * row), "value"));
      }
      Require(open.db->Flush({}, handle.get()));
    }
    for (size_t i = 0; i < families.size(); ++i) {
      families[i].rejected = LookUp(open.db.get(), open.handles[i].get());
      if (families[i].rejected <= 0) {
        std::cerr << "release_database: " << families[i].name
                  << " has no filter or lost rows\n";
        return 1;
      }
    }
  }
  for (const auto& file : fs::directory_iterator(path)) {
    const std::string name = file.path().filename();
    const bool needed = name == "CURRENT" || name.starts_with("MANIFEST") ||
                        name.ends_with(".sst");
    if (!needed) fs::remove(file);
  }
  std::ofstream list(folder / "families.txt");
  for (const Family& family : families) {
    list << family.name << ' ' << family.table << ' ' << family.rejected
         << '\n';
  }
  return list.flush() ? 0 : 2;
}

int Check(const fs::path& folder) {
  std::ifstream list(folder / "families.txt");
  std::vector<Family> families;
  for (Family next; list >> next.name >> next.table >> next.rejected;) {
    families.push_back(next);
  }
  std::string copy = fs::temp_directory_path() / "release_database.XXXXXX";
  if (families.empty() || mkdtemp(copy.data()) == nullptr) {
    std::cerr << "release_database: cannot read " << folder << " or copy it\n";
    return 2;
  }
  fs::copy(folder / "database", copy);
  int wrong = 0;
  {
    const Open open = OpenDatabase(copy, families);
    for (size_t i = 0; i < families.size(); ++i) {
      const int rejected = LookUp(open.db.get(), open.handles[i].get());
      const bool right = rejected == families[i].rejected;
      printf("%-12s %3d of %d missing rows rejected%s\n",
             families[i].name.c_str(), rejected, kRows - 1,
             right ? "" : " WRONG");
      wrong += right ? 0 : 1;
    }
  }
  fs::remove_all(copy);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  linebloom::RegisterFilterPolicy();
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "--write") return Write(argv[2]);
  if (mode == "--check") return Check(argv[2]);
  std::cerr << "usage: release_database --write|--check DIRECTORY\n";
  return 2;
}
